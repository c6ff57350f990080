#!/bin/sh
# Builds every test/fuzz_<module>.c with libFuzzer and the sanitizers, and runs each for a while.
#
#   tools/fuzz.sh [seconds for each, by default 60]
#
# SETT_SEED chooses what libFuzzer draws (1); the last line says what was run.
#
# New inputs are collected in build/fuzz/corpus/<module>; a finding is written to build/fuzz and
# belongs, made small, into test/corpus/<module>, where `make test` replays it for ever.
set -eu

cd "$(dirname "$0")/.."
seconds=${1:-60}
seed=${SETT_SEED:-1}
folder=build/fuzz
# Optimised, and with assertions all the same: they are half of what a fuzzer can find.
# fuzzer-no-link tells the compiler to count what the library reaches; the targets link the fuzzer.
CC=clang cmake -S . -B $folder -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSETT_BUILD_FUZZERS=ON \
    -DSETT_BUILD_TESTS=OFF -DSETT_BUILD_EXAMPLES=OFF -DSETT_BUILD_BENCHMARKS=OFF \
    -DSETT_INSTALL=OFF \
    -DSETT_SANITIZE=address,undefined -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O2 -g" >/dev/null
cmake --build $folder --parallel "${JOBS:-2}"

ran=0
told=
for program in $folder/test/fuzz_*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    module=${program##*/fuzz_}
    corpus=$folder/corpus/$module
    mkdir -p "$corpus" "test/corpus/$module"
    echo "== $module, $seconds s"
    # Without -entropic=0 libFuzzer spends 40 % of the time on choosing inputs.
    "$program" -entropic=0 -max_total_time="$seconds" -seed="$seed" -artifact_prefix=$folder/ \
        -print_final_stats=1 "$corpus" "test/corpus/$module" 2>&1 | tee "$folder/$module.log" |
        grep -E '^#[0-9]+.(pulse|INITED|DONE)|ERROR|SUMMARY|^stat::number_of_exec|Test unit' || true
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$module.log")
    # A finding ends the program before its statistics, or right after them.
    if [ -z "$runs" ] || grep -q 'ERROR: \|SUMMARY: ' "$folder/$module.log"; then
        echo "fuzz: $module, SETT_SEED=$seed: a finding, all of it in $folder/$module.log" >&2
        exit 1
    fi
    told="$told, $module $runs inputs"
    ran=$((ran + 1))
done
[ "$ran" != 0 ] || {
    echo "fuzz: there is no test/fuzz_<module>.c" >&2
    exit 1
}
echo "fuzz: SETT_SEED=$seed, $seconds s each, $ran targets without a finding${told}"
