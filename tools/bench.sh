#!/bin/sh
# Builds the benchmarks for this very machine and runs them.
#
#   tools/bench.sh [--full] [option of Google Benchmark]...
#   tools/bench.sh --joins [entities] [repetitions]
#   tools/bench.sh --layout
#   tools/bench.sh --parts
#   tools/bench.sh --wide [part of a row's name]...
#
# --layout: worlds that find their layout by themselves, beside every layout by hand and the peers;
# how many frames it takes and what these cost; a world whose work changes half-way; layouts saved
# by one process and applied by another. Writes docs/bench/layouts.md, in four minutes.
# --parts: handles that go and come back, hashes of snapshots, selections beside views, states in
# memory, in seconds.
# --wide: many types, systems, observers, links and levels, and the scenes of a public benchmark,
# beside flecs and EnTT where they are installed; minima and medians, in five minutes.
# --joins: twenty searches over a million entities, and terms elsewhere, beside flecs where it is
# installed, with their plans; it fails if results differ.
# Without --full the table: medians of nine repetitions of each row, in random order, beside raw
# arrays and the peers that are installed (CMAKE_PREFIX_PATH in the environment says where else to
# look); a few minutes. With it, some 25 minutes: more sizes, the long cases, the rows of --wide,
# threads, what each plan costs, what the advice is worth, sweeps, snapshots, builds by other
# compilers and flags, and the report in docs/bench. Raw data goes to out/bench/, together with what
# it was measured on. Noise on another core raises every figure 1.3 to 2 times: compare within one
# run, on an idle machine.
#
# A step that fails is reported and left out of the report; the last line then says so.
#
# SETT_BENCH=quick does the same in seconds, everything once and small, into out/bench_quick: to see
# whether it works. Figures mean nothing then, and every step has to succeed.
# SETT_BENCH_BUILD=<folder> takes the benchmarks that were built there.
set -eu

cd "$(dirname "$0")/.."
if [ "${1-}" = --help ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' tools/bench.sh
    exit 0
fi
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
quick=
out=out/bench
report=docs/bench
allowed=1440 # seconds after which optional steps are cut short
if [ "${SETT_BENCH-}" = quick ]; then
    quick=--quick
    out=out/bench_quick
    report=$out/report
fi
name=quick
full=
if [ "${1-}" = --full ]; then
    shift
    name=full
    full=--full
fi

begun=$(date +%s)
elapsed() {
    echo $(($(date +%s) - begun))
}

tell() {
    echo "== $(elapsed) s: $*" >&2
}

# ---- Building ------------------------------------------------------------------------------------

folder=${SETT_BENCH_BUILD-}
if [ -z "$folder" ]; then
    folder=build/bench
    tell "building in $folder"
    mkdir -p build
    {
        cmake -S . -B $folder -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-march=native \
            -DCMAKE_CXX_FLAGS=-march=native -DSETT_BUILD_TESTS=OFF -DSETT_BUILD_EXAMPLES=OFF \
            -DSETT_BUILD_BENCHMARKS=ON && cmake --build $folder --parallel "$jobs"
    } >$folder.log 2>&1 || {
        cat $folder.log
        exit 1
    }
    grep 'left out' $folder.log >&2 || true
fi
programs=$folder/bench
[ -x "$programs/sett_bench" ] || {
    echo "bench: no benchmark was built (is Google Benchmark missing?)" >&2
    exit 1
}

mkdir -p "$out"
{
    uname -srm
    awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo 2>/dev/null || true
    echo "$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo '?') cores;" \
        "huge pages: $(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || echo unknown)"
    sed -n -E 's/^CMAKE_(C|CXX)_COMPILER:[A-Z]*=//p' "$folder/CMakeCache.txt" |
        while read -r compiler; do
            "$compiler" --version | sed -n 1p
        done
    sed -n -E 's/^CMAKE_C_FLAGS(_RELEASE)?:[A-Z]*=//p' "$folder/CMakeCache.txt" | tr '\n' ' '
    echo
    echo "$(sed -n -E 's/^#define SETT_VERSION_(MAJOR|MINOR|PATCH) +([0-9]+).*/\2/p' \
        include/sett/base.h | tr '\n' '.' | sed 's/\.$//; s/^/Sett /')" \
        "$(git describe --always --dirty 2>/dev/null || true)"
} >"$out/$name.machine.txt"

# On one core and always the same: wandering between cores is the largest noise of all. The last
# one, because interrupts and everything that starts first sit on the first.
pin=
if command -v taskset >/dev/null 2>&1; then
    last=$(taskset -cp $$ 2>/dev/null | sed 's/.*[:,-] *//')
    if taskset -c "$last" true 2>/dev/null; then
        pin="taskset -c $last"
    fi
fi

if [ "${1-}" = --joins ]; then
    shift
    exec "$programs/sett_searches" "$@"
fi
if [ "${1-}" = --wide ]; then
    shift
    exec $pin "$programs/sett_wide" $quick "$@"
fi
if [ "${1-}" = --parts ]; then
    exec $pin "$programs/sett_parts" $quick
fi

# ---- Measuring -----------------------------------------------------------------------------------

# The second process applies at start what the first one found.
layouts() {
    mkdir -p "$out/layouts" &&
        $pin "$programs/sett_layouts" $quick --save="$out/layouts" &&
        $pin "$programs/sett_layouts" $quick --load="$out/layouts"
}

layout_page() {
    mkdir -p "$report"
    {
        cat <<'END'
# Worlds that find their layout

Written by `tools/bench.sh --layout`; do not edit. For each loop of the [table](README.md) every layout of its types was
tried (*best of*: how many): each type in an array or a sparse set, groups over any part of a query.

- *auto*: a world with `sett_layout_auto`, and no other change to the program; *frames*: its last change came after so many.
- *advised*: what `sett_advise` proposed after sixteen profiled rounds, applied.
- *EnTT*: with an owning group where the row has one.
- *to best*, *to peer*: auto, divided by the best layout and by the faster of EnTT and flecs; **!** marks more than 1.10 and 1.05.

Medians of nine runs in turns, which all had to compute the same; *spread* is half the distance between the quartiles.
Then follow the frames in which layouts are sought (one round of the row's loops and `sett_layout_step`): with no limit of values,
which is what `SETT_LAYOUT_VALUES` comes to here, and with at most 131,072 a frame, where no frame is long, but larger
types stay as they are; a world whose work changes half-way; and layouts that another process applied at start.

```
END
        cat "$out/$name.machine.txt"
        printf '```\n\n```\n'
        cat "$out/layouts.txt"
        echo '```'
    } >"$report/layouts.md"
    tell "written: $report/layouts.md"
}

if [ "${1-}" = --layout ]; then
    layouts >"$out/layouts.txt"
    cat "$out/layouts.txt"
    layout_page
    exit 0
fi

if [ -z "$full" ]; then
    $pin "$programs/sett_bench" $quick --benchmark_out="$out/$name.json" \
        --benchmark_out_format=json "$@" >"$out/$name.txt" || {
        cat "$out/$name.txt"
        exit 1
    }
    cat "$out/$name.txt"
    echo "raw data: $out/$name.json, machine: $out/$name.machine.txt"
    exit 0
fi

failed=
# Its output appears under its name when it is whole, so that the report never reads half a file.
step() { # <file for what it prints> <what it is> <command>...
    file=$out/$1
    tell "$2"
    shift 2
    rm -f "$file"
    if "$@" >"$file.part"; then
        mv "$file.part" "$file"
    else
        failed="$failed $(basename "$file")"
        echo "bench: failed: $*" >&2
        [ -z "$quick" ] || exit 1
    fi
}

plans() {
    $pin "$programs/sett_plans" $quick 2>"$out/plans.part" &&
        mv "$out/plans.part" "$out/plans.txt"
}

# What is left of an earlier run would look like a part of this one.
rm -f "$out/full.json" "$out/threads.json" "$out"/*.csv "$out"/*.part "$out/plans.txt" \
    "$out/layouts.txt" "$out/states.txt" "$out/parts.txt" "$out/counts.txt"
step full.txt "the table, other sizes, the long cases: eight to ten minutes" \
    $pin "$programs/sett_bench" --full $quick --seconds=570 --facts="$out/full.facts.csv" \
    --benchmark_out="$out/full.json" --benchmark_out_format=json --benchmark_filter=-^frames/ "$@"
[ ! -f "$out/full.txt" ] || cat "$out/full.txt"
step wide.csv "a public benchmark's scenes, much of one thing: five minutes" \
    $pin "$programs/sett_wide" $quick --csv
# Threads are not to share one core.
step threads.txt "threads" \
    "$programs/sett_bench" $quick --facts="$out/threads.facts.csv" \
    --benchmark_out="$out/threads.json" --benchmark_out_format=json --benchmark_filter=^frames/
step plans.csv "every plan against density: half a minute" plans
step layouts.txt "worlds that find their layout: four minutes" layouts
[ ! -f "$out/layouts.txt" ] || layout_page
step sweeps.csv "sweeps: half a minute" $pin "$programs/sett_sweeps" $quick
step states.txt "snapshots" $pin "$programs/sett_states" $quick
step parts.txt "parts of a world" $pin "$programs/sett_parts" $quick
left=$((allowed - $(elapsed)))
SETT_SECONDS=$((left > 150 ? 150 : left < 20 ? 20 : left))
export SETT_SECONDS
step builds.txt "other compilers, flags, pages: two to four minutes" \
    tools/bench_builds.sh "$out/builds.csv"
if [ -n "$quick" ]; then
    tell "instructions are not counted in a quick run"
elif [ "$(elapsed)" -gt $allowed ] || ! command -v valgrind >/dev/null 2>&1; then
    tell "instructions are not counted: there is no valgrind, or no time"
else
    step counts.txt "instructions and cache misses: half a minute" tools/count.sh
fi

# ---- The report ----------------------------------------------------------------------------------

tell "raw data: $out, machine: $out/$name.machine.txt"
if command -v python3 >/dev/null 2>&1; then
    PYTHONDONTWRITEBYTECODE=1 python3 bench/report.py ${quick:+--whole} "$out" "$report"
else
    echo "bench: no python3, so $report was not written" >&2
fi
tell "done"
if [ -n "$failed" ]; then
    echo "bench: these failed, and are not in the report:$failed" >&2
    exit 1
fi
