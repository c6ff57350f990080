#!/bin/sh
# The parts of the amalgamation need only what their first lines name.
#
#   tools/check_parts.sh [folder, by default build/amalgamation]
#
# Writes the amalgamation, compiles each part, and looks up its undefined names in the parts that
# its first line names. The consumer's program is linked with the core alone, and with all parts;
# README's with the core alone.
# CC chooses the compiler.
set -eu

cd "$(dirname "$0")/.."
out=${1:-build/amalgamation}
cc=${CC:-gcc}
tools/amalgamate.sh "$out"
status=0

defined() { # <object>...
    nm -g --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort -u
}

check() { # <object's name> <part> <parts that it needs> <flag>...
    object=$out/$1.o
    part=$2
    needs=$3
    shift 3
    $cc -std=c11 -O1 "$@" -c "$out/$part.c" -o "$object"
    nm -u "$object" | awk '$2 ~ /^sett/ { print $2 }' | sort -u >"$out/undefined.txt"
    objects=
    for need in $needs; do
        objects="$objects $out/${need%.c}.o"
        # A part that gives nothing is not named.
        defined "$out/${need%.c}.o" | comm -12 - "$out/undefined.txt" | grep -q . || {
            echo "check_parts: $part.c does not need $need" >&2
            status=1
        }
    done
    missing=$(defined "$object" $objects | comm -13 - "$out/undefined.txt")
    [ -z "$missing" ] || {
        echo "check_parts: $part.c needs names of parts that its first line does not name:" >&2
        echo "$missing" >&2
        status=1
    }
}

needs() { # <part>
    sed -n '1s/.*; needs \(sett_[a-z]*\.c\( sett_[a-z]*\.c\)*\).*/\1/p' "$out/$1.c"
}

consumer() { # <object>...
    $cc -std=c11 -DSETT_CONSUMER_AMALGAMATION -I"$out" test/consumer/consumer.c "$@" \
        -o "$out/consumer_parts" -pthread
    "$out/consumer_parts"
}

# Lowest first: what a part needs is compiled before it.
objects=
for part in sett_core sett_relation sett_search sett_state sett_file sett_inspect sett_tune; do
    check $part $part "$(needs $part)"
    objects="$objects $out/$part.o"
done
check state_alone sett_state sett_core.c -DSETT_NO_RELATION
consumer "$out/sett_core.o"
tools/check_readme.sh "$out/sett_core.o" README.md
consumer $objects
exit $status
