#!/bin/sh
# The same battle with every compiler: builds library and simulation with gcc and clang, each at -O0 and
# at -O3, lets all four play, and compares the hashes of what came out. Another seed has to give another.
#
#   test/same_hash.sh [<folder for the builds>]
#
# TICKS is how long they play (200). What is built at -O3 already need not be built again: it can be
# named by SETT_PLAYED_GCC and SETT_PLAYED_CLANG.
set -eu

ticks=${TICKS:-200}
folder=$(mkdir -p "${1:-build/same_hash}" && cd "${1:-build/same_hash}" && pwd)
cd "$(dirname "$0")/../.."
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}

fail() {
    echo "same_hash: $*" >&2
    exit 1
}

# Object by object, so that several compile side by side.
compile() { # <compiler> <level> <folder>
    rm -rf "$3" && mkdir -p "$3"
    find src freedoom -name '*.c' ! -path '*/test/*' ! -path '*/play/*' \
        ! -path '*/web/*' ! -path '*/saves/*' |
        xargs -P "$jobs" -I '{}' sh -c \
            '"$1" -std=c11 "$2" -Iinclude -Isrc -c "$4" -o "$3/$(echo "$4" | tr / _).o"' \
            sh "$1" "$2" "$3" '{}' || fail "$1 $2 does not compile it"
    "$1" "$3"/*.o -lpng -lz -lm -o "$3/freedoom" || fail "$1 $2 does not link it"
}

play() { # <program> <seed>
    "$1" --ticks "$ticks" --seed "$2" --png none 2>/dev/null | sed -n 's/^final state *//p'
}

first=
for compiler in gcc clang; do
    command -v $compiler >/dev/null || fail "there is no $compiler"
    for level in -O0 -O3; do
        case $compiler$level in
        gcc-O3) program=${SETT_PLAYED_GCC-} ;;
        clang-O3) program=${SETT_PLAYED_CLANG-} ;;
        *) program= ;;
        esac
        if [ -z "$program" ]; then
            program=$folder/$compiler$level/freedoom
            compile $compiler $level "$folder/$compiler$level"
        fi
        hash=$(play "$program" 1)
        echo "$compiler $level: $hash"
        [ -n "$hash" ] || fail "$compiler $level has no hash"
        [ "$hash" = "${first:=$hash}" ] || fail "$compiler $level differs"
    done
done

other=$(play "$program" 2)
echo "another seed: $other"
[ -n "$other" ] && [ "$other" != "$first" ] || fail "two seeds give the same battle"
