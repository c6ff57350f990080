#!/bin/sh
# Compiled with a platform of the program's own, Sett needs nothing of the system, and works.
#
#   tools/check_platform.sh [folder of the amalgamation, by default build/amalgamation]
#
# The names that sett.c leaves undefined are compared with the list in sett/platform.h; then it is
# linked with test/platform/own.c, which brings all functions, and once with memory and a text only.
# CC chooses the compiler.
set -eu

cd "$(dirname "$0")/.."
out=${1:-build/amalgamation}
cc=${CC:-gcc}
strict="-std=c11 -Werror $(cat cmake/strict_flags.txt)"
[ -f "$out/sett.c" ] || tools/amalgamate.sh "$out" >/dev/null

allowed='mem(chr|cmp|cpy|move|set)|str(cat|chr|cmp|cpy|cspn|len|ncmp|pbrk|rchr|spn|str|tod|tof)|qsort|v?snprintf|own'
$cc $strict -O1 -DNDEBUG -DSETT_PLATFORM=own -c "$out/sett.c" -o "$out/own.o"
system=$(nm -u "$out/own.o" | awk '{ print $2 }' | grep -Evx "$allowed" || true)
[ -z "$system" ] || {
    echo "check_platform: with SETT_PLATFORM sett.c still calls, of the system:" >&2
    echo "$system" >&2
    exit 1
}
for missing in "" -DNOTHING_OWN; do
    $cc -std=gnu11 -Werror -Wall -Wextra -DNDEBUG $missing -Iinclude -Itest test/platform/own.c "$out/own.o" \
        -pthread -o "$out/own_program"
    "$out/own_program" >"$out/own_program.txt" 2>&1 || {
        cat "$out/own_program.txt" >&2
        exit 1
    }
done
