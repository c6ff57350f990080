#!/bin/sh
# Builds the benchmarks for this very machine and runs them.
#
#   tools/bench.sh [--full] [option of Google Benchmark]...
#
# Without --full the table: medians of nine repetitions of each row, in random order, beside raw
# arrays and the peers that are installed; a few minutes. With it, more sizes, the long cases, what
# each plan costs, what the advice is worth, and the report in docs/bench. Raw data goes to out/bench/, together with what it was measured on.
# Noise on another core raises every figure 1.3 to 2 times: compare within one run, on an idle
# machine.
set -eu

cd "$(dirname "$0")/.."
jobs=${JOBS:-2}
folder=build/bench
cmake -S . -B $folder -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-march=native \
    -DCMAKE_CXX_FLAGS=-march=native -DSETT_BUILD_TESTS=OFF -DSETT_BUILD_EXAMPLES=OFF \
    -DSETT_BUILD_BENCHMARKS=ON >/dev/null
cmake --build $folder --parallel "$jobs"
[ -x $folder/bench/sett_bench ] || {
    echo "bench: no benchmark was built (is Google Benchmark missing?)" >&2
    exit 1
}

name=quick
full=
if [ "${1-}" = --full ]; then
    shift
    name=full
    full=--full
fi
mkdir -p out/bench
{
    uname -srm
    awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo 2>/dev/null || true
    cc --version | sed -n 1p
    sed -n -E 's/^CMAKE_C_FLAGS(_RELEASE)?:[A-Z]*=//p' $folder/CMakeCache.txt | tr '\n' ' '
    echo
    git describe --always --dirty 2>/dev/null || true
} >"out/bench/$name.machine.txt"

# On one core and always the same: wandering between cores is the largest noise of all. The last
# one, because interrupts and everything that starts first sit on the first.
pin=
if command -v taskset >/dev/null 2>&1; then
    last=$(($(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1) - 1))
    pin="taskset -c $last"
fi
$pin $folder/bench/sett_bench $full --benchmark_out="out/bench/$name.json" \
    --benchmark_out_format=json "$@" >"out/bench/$name.txt" || {
    cat "out/bench/$name.txt"
    exit 1
}
cat "out/bench/$name.txt"
if [ $name = full ]; then
    $pin $folder/bench/sett_plans >out/bench/plans.csv 2>out/bench/plans.txt
    cat out/bench/plans.txt
    $pin $folder/bench/sett_advised >out/bench/advised.txt
    cat out/bench/advised.txt
    $pin $folder/bench/sett_sweeps >out/bench/sweeps.csv
fi
echo "raw data: out/bench/$name.json, machine: out/bench/$name.machine.txt"
if [ $name = full ]; then
    if command -v python3 >/dev/null 2>&1; then
        python3 bench/report.py out/bench docs/bench
    else
        echo "bench: no python3, so docs/bench was not written" >&2
    fi
fi
