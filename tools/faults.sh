#!/bin/sh
# Do the tests see what is broken? Plants each fault of test/faults/ (one changed line each) into a
# copy of the tree, builds it, and wants a model test to fail. Prints who caught what.
#
#   tools/faults.sh              all of them; the last line is "N of N"
#   tools/faults.sh <name>...    those whose file names contain one of the words
#
# A fault that no longer applies, or does not compile, does not count as caught. JOBS sets how many
# are tried side by side. Builds lie in build/faults. Needs patch(1).
set -eu

cd "$(dirname "$0")/.."
root=$PWD
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
compiler="gcc -std=c11 -g -O1"
work=$root/build/faults
seconds=60 # a test that takes longer hangs
# Enough to meet every fault, and the same in every run.
export SETT_OPERATIONS=30000 SETT_SEED=1
unset MAKEFLAGS MFLAGS MAKELEVEL 2>/dev/null || true

# Objects of the tree as it is, and all tests linked with them: what a fault does not touch is
# compiled once.
build_sound() {
    rm -rf "$work"
    mkdir -p "$work/sound" "$work/said"
    for source in src/*/*.c; do
        echo "-I$root/src -c $root/$source -o $work/sound/$(basename "$source" .c).o"
    done >"$work/list"
    for test in test/test_*.c; do
        # Threads take their time, and see nothing of these that others do not.
        ! grep -q '"sett/threads.h"' "$test" || continue
        echo "-I$root/src -I$root/test -c $root/$test -o $work/sound/$(basename "$test" .c).to"
    done >>"$work/list"
    xargs -P "$jobs" -L 1 $compiler -I"$root/include" <"$work/list"
}

# run_tests <folder with objects> <what to write about them>: links and runs every test. Writes the
# names of those that fail, the model test first.
run_tests() {
    : >"$2"
    for test in "$work/sound/test_model.to" "$work"/sound/*.to; do
        name=$(basename "$test" .to)
        name=${name#test_}
        [ "$name" != model ] || [ ! -e "$1/test_model" ] || continue
        # A failing test may crash in all manners; what it says is of no interest.
        $compiler "$test" "$1"/*.o -o "$1/test_$name"
        timeout "$seconds" "$1/test_$name" >"$1/said" 2>&1 || printf '%s ' "$name" >>"$2"
    done
}

# try_fault <patch>: its line of the table goes to a file.
try_fault() {
    name=$(basename "$1" .patch)
    tree=$work/$name
    said=$work/said/$name
    mkdir -p "$tree/objects"
    cp -R "$root/src" "$tree"
    if ! patch -d "$tree" -p1 -s -f <"$1" >"$tree/patch.log" 2>&1; then
        echo "does not apply any more" >"$said.not"
        return
    fi
    source=$(sed -n 's/^+++ b\///p' "$1")
    cp "$work"/sound/*.o "$tree/objects"
    if ! $compiler -I"$root/include" -I"$tree/src" -c "$tree/$source" \
        -o "$tree/objects/$(basename "$source" .c).o" >"$tree/build.log" 2>&1; then
        echo "does not compile" >"$said.not"
        return
    fi
    run_tests "$tree/objects" "$said"
    rm -rf "$tree"
}

if [ "${1-}" = --try ]; then # started by ourselves, side by side
    try_fault "$2"
    exit 0
fi

chosen=
for fault in test/faults/*.patch; do
    [ $# != 0 ] || chosen="$chosen $fault"
    for word in "$@"; do
        case $fault in
        *"$word"*) chosen="$chosen $fault" ;;
        esac
    done
done
[ -n "$chosen" ] || {
    echo "faults: there is no such fault" >&2
    exit 2
}

build_sound
mkdir -p "$work/unharmed"
cp "$work"/sound/*.o "$work/unharmed"
run_tests "$work/unharmed" "$work/said/unharmed"
if [ -s "$work/said/unharmed" ]; then
    echo "faults: without any fault these fail already: $(cat "$work/said/unharmed")" >&2
    exit 1
fi

printf '%s\n' $chosen | xargs -P "$jobs" -n 1 "$0" --try

caught=0
count=0
printf '  %-36s %s\n' fault "caught by"
for fault in $chosen; do
    name=$(basename "$fault" .patch)
    count=$((count + 1))
    by=$(cat "$work/said/$name" 2>/dev/null || true)
    [ ! -e "$work/said/$name.not" ] || by="($(cat "$work/said/$name.not"))"
    case $by in
    *model*) caught=$((caught + 1)) ;;
    *) by="NOT BY A MODEL TEST: $by" ;;
    esac
    printf '  %-36s %s\n' "$name" "$by"
done
echo "$caught of $count"
[ "$caught" = "$count" ]
