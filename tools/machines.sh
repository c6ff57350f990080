#!/bin/sh
# Saves a world on each kind of machine that there is a compiler for, and loads it on each other:
# all hashes have to be one. 64 bits with gcc and clang, 32 bits, WebAssembly (in node).
set -eu

cd "$(dirname "$0")/.."
out=build/machines
mkdir -p $out
tools/amalgamate.sh $out >/dev/null
sources="test/machines/machines.c $out/sett.c"
flags="-std=c11 -O0 -I$out"
machines=

# <name> <compiler and options>: compiled, or left out with a line that says so
machine() {
    name=$1
    shift
    # shellcheck disable=SC2086
    if "$@" $flags $sources -o "$out/$name" 2>"$out/$name.log"; then
        machines="$machines $name"
    else
        echo "  skipped: $name ($*)"
    fi
}

run() { # <name> save|load <file, in the folder>
    if [ "$1" = wasm ]; then
        (cd $out && node --no-warnings ../../tools/machines.mjs "$2" "$3")
    else
        (cd $out && "./$1" "$2" "$3")
    fi
}

machine gcc gcc -pthread
machine clang clang -pthread
machine m32 gcc -m32 -pthread
! command -v node >/dev/null || machine wasm clang --target=wasm32-wasi --sysroot=/usr

first=
for saver in $machines; do
    saved=$(run "$saver" save "$saver.sett")
    [ "$saved" = "${first:=$saved}" ] || {
        echo "machines: $saver saves $saved, not $first" >&2
        exit 1
    }
    for loader in $machines; do
        loaded=$(run "$loader" load "$saver.sett") || loaded="nothing, $loaded"
        [ "$loaded" = "$first" ] || {
            echo "machines: $loader loads $loaded of what $saver saved: $first" >&2
            exit 1
        }
    done
done
echo "  one hash, $first entities, saved and loaded by:$machines"
