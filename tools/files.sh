#!/bin/sh
# What files cost: prints medians of saving and loading, sizes with and without zstd, and autosaves.
#
#   tools/files.sh [folder]    files are written there (default: build/release), to a disk that syncs
#
# 100,000 entities of five components (goals: memory save 4 ms, load 20 ms, 1.15 x raw; autosave 1 ms
# of the program's thread), then all maps of Freedoom after ten seconds.
set -eu

cd "$(dirname "$0")/.."
build=build/release
folder=${1:-$build}
cmake -S . -B $build -DCMAKE_BUILD_TYPE=Release -DSETT_BUILD_BENCHMARKS=ON -DSETT_BUILD_EXAMPLES=ON >/dev/null
cmake --build $build --parallel --target sett_files freedoom_saves >/dev/null
$build/bench/sett_files "$folder"
echo
$build/freedoom/freedoom_saves 350 "$folder"
