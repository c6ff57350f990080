#!/bin/sh
# Builds the benchmarks for this very machine and runs them.
#
#   tools/bench.sh [--full] [option of Google Benchmark]...
#
# Without --full one run of each, as a table. With it, repetitions in random order, medians and
# spreads. Raw data goes to out/bench/, together with what it was measured on. Noise on another core
# raises every figure 1.3 to 2 times: compare within one run, on an idle machine.
set -eu

cd "$(dirname "$0")/.."
jobs=${JOBS:-2}
folder=build/bench
cmake -S . -B $folder -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-march=native \
    -DCMAKE_CXX_FLAGS=-march=native -DSETT_BUILD_TESTS=OFF -DSETT_BUILD_EXAMPLES=OFF \
    -DSETT_BUILD_BENCHMARKS=ON >/dev/null
cmake --build $folder --parallel "$jobs"
[ -x $folder/bench/sett_bench ] || {
    echo "bench: no benchmark was built (is bench/ empty, or Google Benchmark missing?)" >&2
    exit 1
}

name=quick
if [ "${1-}" = --full ]; then
    shift
    name=full
    set -- --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true \
        --benchmark_report_aggregates_only=true "$@"
fi
mkdir -p out/bench
{
    uname -srm
    awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo 2>/dev/null || true
    cc --version | sed -n 1p
    grep -E '^CMAKE_C_FLAGS(_RELEASE)?:' $folder/CMakeCache.txt
    git describe --always --dirty 2>/dev/null || true
} >"out/bench/$name.machine.txt"

# On one core and always the same: wandering between cores is the largest noise of all.
pin=
if command -v taskset >/dev/null 2>&1; then
    pin="taskset -c 0"
fi
$pin $folder/bench/sett_bench --benchmark_out="out/bench/$name.json" \
    --benchmark_out_format=json "$@"
echo "raw data: out/bench/$name.json, machine: out/bench/$name.machine.txt"
