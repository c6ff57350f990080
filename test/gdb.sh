#!/bin/sh
# Does tools/sett_gdb.py print entities and their values in a program that gdb has stopped?
#
#   test/gdb.sh <gdb_target>
set -eu

script=$(dirname "$0")/../tools/sett_gdb.py
command -v gdb >/dev/null || {
    echo "skipped: gdb is not installed"
    exit 77
}
said=$(DEBUGINFOD_URLS='' gdb -nx -batch -ex "source $script" -ex 'break stop_here' -ex run \
    -ex 'print entity' -ex 'sett world entity' -ex 'sett world 0' "$1" 2>&1)
if echo "$said" | grep -qi ptrace; then
    echo "skipped: gdb may not look into programs here"
    exit 77
fi
for wanted in '= entity 0:1' 'x = 1.5 m' 'state = OPEN'; do
    echo "$said" | grep -qF "$wanted" || {
        echo "gdb.sh: \"$wanted\" is not in:" >&2
        echo "$said" >&2
        exit 1
    }
done
