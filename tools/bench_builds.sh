#!/bin/sh
# Compares builds of the library: gcc and clang, -O2 and -O3, any x86-64 (or whatever the compiler
# takes for granted) and this very machine, with huge pages and without.
#
#   tools/bench_builds.sh [<file>]    default: out/bench/builds.csv
#
# Each build is the library, file by file, and the scenes of bench/, which are what a user would
# compile. They run in turns, SETT_ROUNDS (7) times each, so that a noisy minute falls on all of them
# alike; no round is begun after SETT_SECONDS (150), but for the first three. One line of CSV for
# each: build,pages,row,ns. bench/report.py makes a table of it.
# SETT_BENCH=quick: one build, once, over next to nothing, to see whether this works.
set -eu

cd "$(dirname "$0")/.."
file=${1:-out/bench/builds.csv}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
rounds=${SETT_ROUNDS:-7}
seconds=${SETT_SECONDS:-150}
levels="-O2 -O3"
targets="generic native"
quick=
if [ "${SETT_BENCH-}" = quick ]; then
    quick=--quick
    rounds=1
    levels=-O0
    targets=generic
fi
out=build/builds$quick
sources="$(find src -name '*.c') bench/build_main.c bench/meter.c bench/scene.c bench/scene_sett.c
    bench/scene_sett_change.c bench/scene_sett_loop.c"

# Leaves the name of each build in $builds.
builds=
make_build() { # <compiler> <level> <generic|native>
    name=$1$2-$3
    folder=$out/$name
    flags="-std=c11 $2 -DNDEBUG -Iinclude -Isrc -Ibench"
    [ "$3" = generic ] || flags="$flags -march=native"
    mkdir -p "$folder"
    rm -f "$folder"/*.o
    if echo "$sources" | tr ' ' '\n' | grep . | xargs -P "$jobs" -I '{}' sh -c \
        "$1 $flags -c '{}' -o '$folder'/\$(basename '{}' .c).o" &&
        $1 "$folder"/*.o -o "$folder/sett_builds" -lpthread; then
        builds="$builds $name"
    else
        echo "bench: $name could not be built, and is left out" >&2
    fi
}

for compiler in gcc clang; do
    if command -v $compiler >/dev/null 2>&1; then
        for level in $levels; do
            for target in $targets; do
                echo "  building: $compiler $level $target" >&2
                make_build $compiler "$level" "$target"
            done
        done
        [ -z "$quick" ] || break
    fi
done

pin=
if command -v taskset >/dev/null 2>&1; then
    # The last core that this process may run on.
    last=$(taskset -cp $$ 2>/dev/null | sed 's/.*[:,-] *//')
    if taskset -c "$last" true 2>/dev/null; then
        pin="taskset -c $last"
    fi
fi
mkdir -p "$(dirname "$file")"
echo "build,pages,row,ns" >"$file.part"
begun=$(date +%s)
round=1
while [ "$round" -le "$rounds" ]; do
    if [ "$round" -gt 3 ] && [ $(($(date +%s) - begun)) -gt "$seconds" ]; then
        echo "  time is up after $((round - 1)) rounds" >&2
        break
    fi
    echo "  running: round $round of $rounds" >&2
    for build in $builds; do
        $pin "$out/$build/sett_builds" $quick "$build" >>"$file.part"
        $pin "$out/$build/sett_builds" $quick --small-pages "$build" >>"$file.part"
    done
    round=$((round + 1))
done
mv "$file.part" "$file"
