#!/bin/sh
# The same battle with 1, 2, 4 and 8 workers, all maps, many times over: all final states have to be
# one. Prints each number of workers as its runs are done.
#
#   test/same_workers.sh <freedoom> [<option of freedoom>...]
#
# ROUNDS is how often each plays (20), TICKS how long (700). Part of `make soak`; test_workers.c is
# the short form.
set -eu

program=$1
shift
rounds=${ROUNDS:-20}
ticks=${TICKS:-700}

fail() {
    echo "same_workers: $*" >&2
    exit 1
}

play() { # <workers> <option>...
    workers=$1
    shift
    "$program" --ticks "$ticks" --png none --workers "$workers" --no-rewind "$@" 2>/dev/null |
        sed -n 's/^final state *//p'
}

first=
for workers in 1 2 4 8; do
    round=0
    while [ "$round" -lt "$rounds" ]; do
        round=$((round + 1))
        hash=$(play "$workers" "$@")
        [ -n "$hash" ] || fail "$workers workers, run $round: no final state"
        [ "$hash" = "${first:=$hash}" ] ||
            fail "$workers workers, run $round: $hash, not $first"
    done
    echo "$workers workers, $rounds times $ticks ticks: $first"
done
