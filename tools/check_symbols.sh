#!/bin/sh
# What the built libraries show to a linker, and that they keep no state of their own.
#
#   tools/check_symbols.sh <libsett.a | sett.o> [libsett.so]
#
# - The static library defines global names only with the prefixes sett_ (public) and setti_
#   (private, shared between files): nothing it brings can collide with a user's names.
# - The shared library exports sett_ only.
# - No file has writable data: everything lives in a world, so that any number of worlds can be
#   used on any threads.
set -eu

static_library=$1
shared_library=${2-}
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# In the portable format a line is: name type value size. Lines that only name the member end in
# a colon and have no second word.
# (nm may not fail unseen at the head of a pipe: its output is taken first.)
symbols=$(nm -g --defined-only -P "$static_library")
printf '%s\n' "$symbols" | awk -v library="$static_library" '
    NF < 2 { next }
    { count++ }
    $1 !~ /^setti?_/ { print library ": defines " $1 ", which is neither sett_ nor setti_" }
    END { if (!count) print library ": defines nothing" }
' >"$found"

# Sections, not the letters of nm: a constant table of pointers is relocated, and nm calls it data.
sections=$(objdump -t "$static_library")
printf '%s\n' "$sections" | awk -v library="$static_library" '
    / O (\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && !/ \.data\.rel\.ro/ {
        print library ": " $NF " is writable and belongs to no world"
    }
' >>"$found"

if [ -n "$shared_library" ]; then
    symbols=$(nm -D --defined-only -P "$shared_library")
    # Old linkers add the five that are let pass.
    printf '%s\n' "$symbols" | awk -v library="$shared_library" '
        $1 ~ /^(_init|_fini|_edata|_end|__bss_start)$/ { next }
        { count++ }
        $1 !~ /^sett_/ { print library ": exports " $1 ", which does not begin with sett_" }
        END { if (!count) print library ": exports nothing" }
    ' >>"$found"
fi

if [ -s "$found" ]; then
    cat "$found" >&2
    exit 1
fi
