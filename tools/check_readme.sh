#!/bin/sh
# The programs in a document are tests: each block of C with a main is compiled and run.
#
#   tools/check_readme.sh <library> <document>...
#
# CC chooses the compiler, the library is the one to link with. Other blocks are left alone: they
# are fragments. A document without any program fails, for then nothing was checked.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
library=$1
shift
flags="-std=c11 -Werror $(cat "$root/cmake/strict_flags.txt")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for document in "$@"; do
    # One file for each block, named by the line where it starts; blank lines stand for what comes
    # before, so that the compiler's line numbers are the document's.
    awk -v work="$work" '
        /^```c[ \t]*$/ { inside = 1; text = ""; start = NR; for (i = 0; i < NR; i++) text = text "\n"; next }
        /^```/ && inside {
            inside = 0
            if (text ~ /int main\(/) {
                print text > (work "/line_" start ".c")
            }
            next
        }
        inside { text = text $0 "\n" }
    ' "$document"
    [ -n "$(find "$work" -name '*.c')" ] || {
        echo "$document: has no program in a block of C" >&2
        exit 1
    }
    for program in "$work"/*.c; do
        name=$(basename "$program" .c)
        echo "$document, $name: ${CC:-cc}"
        ${CC:-cc} $flags -I "$root/include" "$program" "$library" -lm -o "$work/program" || exit 1
        (cd "$work" && ./program) || {
            echo "$document, $name: exit status $?" >&2
            exit 1
        }
    done
    rm -f "$work"/*
done
