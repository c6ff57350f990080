#!/bin/sh
# Saves worlds on each kind of machine that there is a compiler for, and loads them on each other:
# all hashes have to be one. 64 bits with gcc and clang, 32 bits, WebAssembly (in node), big endian
# (s390x, in qemu), Windows (MinGW-w64, in wine), and plain C11: the fallbacks for other compilers
# than gcc and clang.
#
#   tools/machines.sh          a small world of all that there is, with a delta; two maps of Freedoom
#   tools/machines.sh all      the same with all maps of Freedoom at once
#
# Maps are played for a second where they are saved, and for another one where they are loaded.
set -eu

cd "$(dirname "$0")/.."
out=build/machines
mkdir -p $out
rm -f $out/*.sett* # a machine without locks of files creates them, and leaves them if it is ended
tools/amalgamate.sh $out >/dev/null
maps=${1:-"--map E1M1 --map MAP07"}
[ "$maps" != all ] || maps=
flags="-std=c11 -D_GNU_SOURCE -O0 -w"
cross="clang --target=s390x-linux-gnu -pthread"
emulator="qemu-s390x -L /usr/s390x-linux-gnu"
machines=
saved=

# The game without libpng.
cat >$out/no_png.c <<'END'
#include "canvas.h"
bool canvas_write_png(const Canvas* canvas, const char* path, Fault* fault)
{
    (void)canvas;
    return fault_set(fault, "%s: built without libpng", path);
}
END
game="$(find freedoom -maxdepth 1 -name '*.c' ! -name canvas_png.c) $out/no_png.c"
wads=/usr/share/games/doom

# With SETT_DEPS=skip in the environment, a machine that is not here is left out.
without() { # <machine> <what it needs>
    echo "  skipped: $1 ($2)"
    [ "${SETT_DEPS-}" = skip ] || {
        echo "machines: $1 needs what tools/deps.sh test-all installs" >&2
        exit 1
    }
}

machine() { # <name> <compiler and options>
    name=$1
    shift
    # shellcheck disable=SC2086
    if "$@" $flags -Iinclude -c $out/sett.c -o "$out/$name.o" 2>"$out/$name.log" &&
        "$@" $flags -I$out test/machines/machines.c "$out/$name.o" -o "$out/$name" 2>>"$out/$name.log" &&
        { [ ! -d $wads ] ||
            "$@" $flags -Iinclude -Ifreedoom $game "$out/$name.o" -lm -o "$out/$name.game" 2>>"$out/$name.log"; }; then
        machines="$machines $name"
    else
        cat "$out/$name.log"
        without "$name" "$*"
    fi
}

run() { # <name> <program> <arguments>, in the folder
    machine=$1
    program=$2
    shift 2
    case $machine in
    wasm) (cd $out && node --no-warnings ../../tools/machines.mjs "$program" "$@") ;;
    s390x) (cd $out && $emulator "./$program" "$@") ;;
    m32) (cd $out && $emulator32 "./$program" "$@") ;;
    mingw) (cd $out && WINEDEBUG=-all WINEPREFIX=$PWD/wine wine "./$program" "$@" | tr -d '\r') ;;
    *) (cd $out && "./$program" "$@") ;;
    esac
}

same() { # <what> <hash>: the first one of all
    [ -n "$2" ] && [ "$2" = "${first:=$2}" ] || {
        echo "machines: $1: $2, not $first" >&2
        exit 1
    }
}

# node 20 prints all, and crashes when it ends: so it counts what is printed. It also crashes when
# memory grows while it collects garbage: so WebAssembly has all its memory from the beginning.
play() { # <machine> <arguments>: prints the final hash
    machine=$1
    shift
    # shellcheck disable=SC2086
    run "$machine" "$machine.game" $maps --ticks 35 --workers 1 --no-rewind --png none "$@" 2>"$out/$machine.errors" |
        sed -n 's/^final state //p'
}

machine gcc gcc -pthread
machine clang clang -pthread
machine plain clang -pthread -U__GNUC__ -U__clang__ -D__STDC_NO_ATOMICS__
[ "$(uname -m)" != x86_64 ] || machine m32 gcc -m32 -msse2 -mfpmath=sse -pthread
# Some kernels run no 32-bit programs; a program without arguments only says how it is called.
emulator32=
[ ! -x $out/m32 ] || $out/m32 >/dev/null 2>&1 || [ $? != 126 ] || emulator32=qemu-i386
if command -v node >/dev/null; then
    machine wasm clang --target=wasm32-wasi --sysroot=/usr -Wl,-z,stack-size=1048576 -Wl,--initial-memory=1073741824
else
    without wasm node
fi
if command -v qemu-s390x >/dev/null; then
    # shellcheck disable=SC2086
    machine s390x $cross
else
    without s390x qemu-s390x
fi

if command -v wine >/dev/null; then
    machine mingw x86_64-w64-mingw32-gcc -static
    # The first start makes the folders of a Windows.
    WINEDEBUG=-all WINEPREFIX=$PWD/$out/wine timeout 120 wine cmd /c exit >/dev/null 2>&1 || true
    [ ! -e $out/mingw.exe ] || mv $out/mingw.exe $out/mingw
    [ ! -e $out/mingw.game.exe ] || mv $out/mingw.game.exe $out/mingw.game
else
    without mingw wine
fi

first=
for saver in $machines; do
    same "$saver saves" "$(run "$saver" "$saver" save "$saver.sett")"
    for loader in $machines; do
        same "$loader loads what $saver saved" "$(run "$loader" "$loader" load "$saver.sett")"
    done
done
loaded=$first
first=
for saver in $machines; do
    for loader in $machines; do
        # What is dropped is said in $loader.log.
        hash=$(run "$loader" "$loader" migrate "$saver.sett" 2>"$out/$loader.log")
        same "$loader migrates what $saver saved" "$hash"
    done
done
echo "  one hash, $loaded entities, saved and loaded by:$machines"
echo "  one hash, $first entities, loaded into types of a later version by the same"

[ -d $wads ] || exit 0
first=
for saver in $machines; do
    same "$saver plays and saves" "$(play "$saver" --save "$saver.game.sett")"
    saved="$saved $saver"
done
first=
for saver in $saved; do
    for loader in $machines; do
        same "$loader goes on with what $saver saved" "$(play "$loader" --load "$saver.game.sett")"
    done
done
echo "  Freedoom (${maps:-all maps}): one hash, played, saved, loaded and played by:$machines"
