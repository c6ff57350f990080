#!/bin/sh
# Ends Freedoom by a signal at random moments, and looks at what its flight recorder wrote: a
# recording of five seconds or more before the crash, with the tick of the crash in its log, which
# can be loaded and played on.
#
#   crash.sh <freedoom> [how often, by default 10]
set -eu

freedoom=$1
count=${2:-10}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "crash.sh: $*" >&2
    exit 1
}

cat >look.py <<'END'
# Prints the frames of the state, of the last delta and of the log, and the log's line.
import struct, sys
bytes = open(sys.argv[1], "rb").read()
at, state, last, log, line, ends = 32, None, None, None, "", False
while at < len(bytes):
    kind, flags, size, frame, seal = struct.unpack_from("<HHIQQ", bytes, at)
    payload = bytes[at + 24:at + 24 + size]
    state = frame if kind == 3 else state
    last = frame if kind in (3, 4) else last
    if kind == 8:
        system = struct.unpack_from("<H", payload, 1)[0]
        log, line = frame, "%s: %s" % (payload[3:3 + system].decode() or "no system", payload[15 + system:].decode())
    ends = kind == 10
    at += 24 + size
sys.exit("it does not end") if not ends else print(state, last, log, line)
END

signals="SEGV ABRT FPE ILL BUS"
for round in $(seq "$count"); do
    signal=$(echo "$signals" | cut -d ' ' -f $((round % 5 + 1)))
    rm -f crash
    "$freedoom" --map E1M1 --map MAP07 --ticks 1000000 --png none --no-rewind --workers 2 --flight crash >said 2>&1 &
    game=$!
    while [ ! -e crash ] && kill -0 $game 2>/dev/null; do # it is being set up
        sleep 0.1
    done
    sleep "0.$(shuf -i 100-999 -n 1)"
    kill -"$signal" $game || fail "it has ended before: $(cat said)"
    wait $game 2>/dev/null && fail "it goes on after SIG$signal"
    [ -s crash ] || fail "round $round: nothing was written"
    # shellcheck disable=SC2046
    set -- $(python3 look.py crash)
    [ "$3" = $(($2 + 1)) ] || fail "round $round: the log is of tick $3, the last one is $2"
    [ $(($2 - $1)) -ge 175 ] || [ "$1" = 0 ] || fail "round $round: only ticks $1 to $2"
    "$freedoom" --map E1M1 --map MAP07 --ticks 0 --png none --replay crash >said 2>&1 || fail "round $round: $(cat said)"
    ! grep -q 'not whole' said || fail "round $round: $(cat said)"
done
echo "  $count crashes, the last: ticks $1 to $2, then $(python3 look.py crash | cut -d ' ' -f 3-)"
