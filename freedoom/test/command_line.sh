#!/bin/sh
# What a person types, right and wrong: what is said, and the exit status.
#
#   test/command_line.sh <the program>
set -eu

program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
wads=${FREEDOOM_WAD_FOLDER:-/usr/share/games/doom}

fail() {
    echo "command_line: $*" >&2
    exit 1
}

run() { # <expected status> <option>...
    expected=$1
    shift
    status=0
    "$program" "$@" >said 2>complained || status=$?
    [ "$status" = "$expected" ] || fail "$*: status $status, not $expected: $(cat complained)"
}

# Exit status 2, nothing on standard output, and one line that holds the given words.
rejects() { # <words> <option>...
    words=$1
    shift
    run 2 "$@"
    [ ! -s said ] || fail "$*: talks to standard output"
    [ "$(wc -l <complained)" = 1 ] || fail "$*: not one line: $(cat complained)"
    grep -qF -- "$words" complained || fail "$*: no \"$words\" in: $(cat complained)"
}

says() { # <words>
    grep -qE -- "$1" said || fail "no \"$1\" in: $(cat said)"
}

run 0 --help
says '--wad FILE'
run 0 --version
says 'Sett [0-9]+\.[0-9]+\.[0-9]+'

rejects '--fast: no such option' --fast
rejects 'E1M1: no such option' E1M1
rejects '--ticks: needs a value' --ticks
rejects '--ticks -1: not a number' --ticks -1
rejects '--ticks 1e3: not a number' --ticks 1e3
rejects '--ticks 4294967296: not a number' --ticks 4294967296
rejects '--seed x: not a number' --seed x
rejects '--map E9M9: no map of this name' --map E9M9 --ticks 1
rejects '--png E9M9: no map of this name' --png E9M9 --ticks 1
rejects 'nowhere.wad: cannot be opened' --wad nowhere.wad
rejects '.: cannot be read' --wad .
rejects 'complained: not a WAD file' --wad complained

# The real file, cut off at places of all kinds.
for size in 0 3 12 1000 1000000 20000000 27284991; do
    head -c "$size" "$wads/freedoom1.wad" >cut.wad
    rejects 'cut.wad: ' --wad cut.wad
done

run 0 --map E1M1 --ticks 400 --trace
says '^1 maps in one world: 238 things, 812 linedefs, 133 sectors$'
says '^[0-9]+	E1M1	shot	[a-z ]+ #[0-9]+	[a-z ]+ #[0-9]+$'
says '^[0-9]+	E1M1	hit	.*	[0-9]+$'
says '^[0-9]+	E1M1	door	[a-z ]+ #[0-9]+	door [0-9]+ #[0-9]+$'
says '^[0-9]+	E1M1	pickup	player #[0-9]+	'
says '^final state 0x[0-9a-f]{16}$'
says 'played twice, and each tick ended in the same state'
state=$(grep '^final state' said)
head -c 4 out/E1M1.png | grep -q PNG || fail "out/E1M1.png is no picture"
rm -r out
run 0 --map E1M1 --ticks 400 --png none --workers 3 --no-rewind
[ "$(grep '^final state' said)" = "$state" ] || fail "three threads play another game"
! grep -q 'played twice' said || fail "played again though nothing was to be kept"
run 0 --map E1M1 --ticks 150 --png none --no-rewind --save half
run 0 --map E1M1 --ticks 250 --png none --load half --record whole
[ "$(grep '^final state' said)" = "$state" ] || fail "saved, loaded and played on is another game"
run 0 --map E1M1 --ticks 0 --png none --replay whole
[ "$(grep '^final state' said)" = "$state" ] || fail "a recording ends elsewhere"
run 1 --map E1M2 --ticks 1 --png none --load half
grep -qF 'half: is of other levels' complained || fail "$(cat complained)"
run 1 --map E1M1 --ticks 1 --png none --load nowhere
grep -qF 'nowhere": cannot be opened - check that it exists' complained || fail "$(cat complained)"
mv half gone.previous
run 1 --map E1M2 --ticks 1 --png none --load gone
grep -qF 'gone.previous: is of other levels' complained || fail "$(cat complained)"
run 0 --map E1M1 --ticks 1 --png none --load gone
grep -qF '"gone.previous" was loaded' complained || fail "$(cat complained)"
head -c "$(($(wc -c <whole) / 2))" whole >torn
run 0 --map E1M1 --ticks 0 --png none --replay torn
grep -qE 'torn: its last [0-9]+ bytes are not whole: it ends with tick [0-9]+' complained ||
    fail "$(cat complained)"
cp complained text
run 1 --map E1M1 --ticks 1 --png none --replay text
grep -qF 'the file is not one of Sett' complained || fail "$(cat complained)"
run 1 --map E1M1 --ticks 9 --png none --record nowhere/whole
grep -qF 'check that its folder exists' complained || fail "$(cat complained)"
! grep -q simulating complained || fail "plays what it cannot record"
rejects 'a game begins with one of them' --load half --replay whole
rejects '--workers 65: not a number' --workers 65
run 0 --map E1M1 --ticks 0 --out elsewhere
[ -e elsewhere/E1M1.png ] || fail "no picture in the named folder"
run 0 --map E1M1 --map MAP01 --ticks 0 --png none
says '^2 maps in one world'
[ ! -e out ] || fail "a picture though none was asked for"
: >out
run 1 --map E1M1 --ticks 0
grep -qF 'out: cannot be made' complained || fail "$(cat complained)"
