#!/bin/sh
# Runs a command whose output is read only when it fails: then its last lines are shown.
#
#   tools/quietly.sh <name> command...     all of the output is in build/log/<name>.txt
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
log=$root/build/log/$1.txt
shift
mkdir -p "$root/build/log"
"$@" >"$log" 2>&1 || {
    status=$?
    tail -n 40 "$log" >&2
    echo "failed: $*; all of its output is in $log" >&2
    exit $status
}
