#!/bin/sh
# What the built libraries show to a linker, and that they keep no state of their own.
#
#   tools/check_symbols.sh <lib*.a | *.o | lib*.so>...
#
# - The static libraries define global names only with the prefixes sett_ (public) and setti_
#   (private, shared between files), each name once: nothing they bring can collide with a user's
#   names, or with each other's.
# - A shared library exports sett_ only, one that contains a static library of Sett's too.
# - No file has writable data: everything lives in a world, so that any number of worlds can be
#   used on any threads. setti_zeroes is let pass: zeroes that are never written (store/storage.h).
set -eu

found=$(mktemp)
names=$(mktemp)
trap 'rm -f "$found" "$names"' EXIT

# In the portable format a line is: name type value size. Lines that only name the member end in
# a colon and have no second word.
# (nm may not fail unseen at the head of a pipe: its output is taken first.)
check_static() { # <library>
    symbols=$(nm -g --defined-only -P "$1")
    printf '%s\n' "$symbols" | awk -v library="$1" -v names="$names" '
        NF < 2 { next }
        { count++ }
        $1 !~ /^setti?_/ { print library ": defines " $1 ", which is neither sett_ nor setti_" }
        { print $1 >>names }
        END { if (!count) print library ": defines nothing" }
    '
    # In a shared library that it becomes a part of, only the public names can be seen.
    readelf -sW "$1" | awk -v library="$1" '
        $5 ~ /GLOBAL|WEAK/ && $7 != "UND" && $6 != ($8 ~ /^sett_/ ? "DEFAULT" : "HIDDEN") {
            print library ": " $8 " is " $6 " in a shared library"
        }
    '
    # Sections, not the letters of nm: a constant table of pointers is relocated, and nm calls it data.
    # What has no name is of a sanitizer.
    sections=$(objdump -t "$1")
    printf '%s\n' "$sections" | awk -v library="$1" '
        / O (\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && !/ \.data\.rel\.ro| __unnamed_[0-9]+$| setti_zeroes$/ {
            print library ": " $NF " is writable and belongs to no world"
        }
    '
}

check_shared() { # <library>
    symbols=$(nm -D --defined-only -P "$1")
    # Old linkers add the five that are let pass.
    printf '%s\n' "$symbols" | awk -v library="$1" '
        $1 ~ /^(_init|_fini|_edata|_end|__bss_start)$/ { next }
        { count++ }
        $1 !~ /^sett_/ { print library ": exports " $1 ", which does not begin with sett_" }
        END { if (!count) print library ": exports nothing" }
    '
}

for library in "$@"; do
    case $library in
    *.so) check_shared "$library" ;;
    *) check_static "$library" ;;
    esac
done >"$found"
sort "$names" | uniq -d | sed 's/$/ is defined twice/' >>"$found"

if [ -s "$found" ]; then
    cat "$found" >&2
    exit 1
fi
