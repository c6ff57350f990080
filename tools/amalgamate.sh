#!/bin/sh
# Writes the whole library as two files, sett.h and sett.c, and the second also in parts.
#
#   tools/amalgamate.sh [folder, by default build/amalgamation]
#
# sett.h is include/sett/sett.h with all that it includes; sett.c is every source, lowest layer
# first. A program compiles sett.c, or sett_core.c and the parts that it uses; the first line of a
# part says which others it needs (tools/check_parts.sh checks that). Each header of Sett's own is
# put where it is first included, later mentions are dropped; includes of the system stay as they
# are. Statics and local macros have names unique in
# the repository, or this file would not compile.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/amalgamation}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$root"

version=$(awk '/^#define SETT_VERSION_(MAJOR|MINOR|PATCH) / { v = v "." $3 }
    END { print substr(v, 2) }' include/sett/base.h)

head() { # <file's name> <what it is>
    echo "/* $1: Sett $version, $2."
    echo " * Generated from the files named below by tools/amalgamate.sh. Do not edit."
    echo " *"
    sed 's/^./ * &/; s/^$/ */' LICENSE
    echo " */"
}

inline() { # <files that are in already> <files to write> <"hidden", if no other library sees them>
    find include src -name '*.[ch]' -o -name '*.hpp' | awk -v done_already="$1" -v roots="$2" -v hidden="${3-}" '
        { known[$0] = 1 }
        function resolve(name) {
            if (("include/" name) in known) {
                return "include/" name
            }
            return ("src/" name) in known ? "src/" name : ""
        }
        function emit(path,    line, name, target) {
            seen[path] = 1
            print "\n/* ---- " path " ---- */\n"
            while ((getline line < path) > 0) {
                # Feature macros count only before the first include: they head the file.
                if (line ~ /^#define _[A-Z0-9_]*_SOURCE/ || line ~ /^#pragma once/) {
                    continue
                }
                if (line !~ /^[ \t]*#[ \t]*include[ \t]*["<]/) {
                    print line
                    continue
                }
                name = line
                sub(/^[^"<]*["<]/, "", name)
                sub(/[">].*/, "", name)
                target = resolve(name)
                if (target == "" && line ~ /"/) {
                    print "amalgamate: " path ": no such header: " name > "/dev/stderr"
                    exit 1
                } else if (target == "" && hidden) {
                    # What the system declares lies in other libraries.
                    print "#pragma GCC visibility push(default)\n" line "\n#pragma GCC visibility pop"
                } else if (target == "") {
                    print line
                } else if (!(target in seen)) {
                    emit(target)
                }
            }
            close(path)
        }
        END {
            count = split(done_already, list, " ")
            for (i = 1; i <= count; i++) {
                seen[list[i]] = 1
            }
            count = split(roots, list, " ")
            for (i = 1; i <= count; i++) {
                if (!(list[i] in seen)) {
                    emit(list[i])
                }
            }
        }'
}

{
    head sett.h "the public headers in one"
    inline "" include/sett/sett.h
} >"$out/sett.h"

part() { # <file's name> <what it is> <layers>
    sources=
    for layer in $3; do
        for source in "src/$layer"/*.c; do
            [ -e "$source" ] && sources="$sources $source"
        done
    done
    {
        head "$1" "$2"
        echo
        echo '#ifdef __cplusplus'
        echo "#error \"$1 is C: compile it with a C compiler; sett.h is for C++ too\""
        echo '#endif'
        sed -n 's/^\(#define _[A-Z0-9_]*_SOURCE\).*/&/p' $sources /dev/null | sort -u |
            awk '{ print "#ifndef " $2; print; print "#endif" }'
        # The functions that sett.h has in line for others are in the core.
        printf '%s\n' '#ifndef SETT_NO_INLINE' '#define SETT_NO_INLINE' '#endif'
        # In a shared library only what sett.h declares can be seen.
        printf '%s\n' '#include "sett.h"' '#ifdef _MSC_VER' '#pragma warning(disable : 4068)' '#endif'
        echo '#pragma GCC visibility push(hidden)'
        inline "$(echo include/sett/*.h)" "$sources" hidden
        echo '#pragma GCC visibility pop'
    } >"$out/$1"
}

part sett.c "the whole library in one source" "$(tools/check_layers.sh --list)"
part sett_core.c "entities, components, queries, systems; needs no other part" \
    "base value store world query run"
part sett_relation.c "hierarchy, relationships, names, prefabs, events; needs sett_core.c" relation
part sett_search.c "searches; needs sett_core.c sett_relation.c" search
part sett_state.c \
    "snapshots, hashes, deltas; needs sett_core.c sett_relation.c (the last not with SETT_NO_RELATION)" \
    state
part sett_file.c "files and JSON; needs sett_core.c sett_relation.c sett_state.c" file
part sett_inspect.c "entities and values as text; needs sett_core.c" inspect
part sett_tune.c "advice, layouts, trends; needs sett_core.c" tune
{
    head sett.hpp "the C++ headers in one, over sett.h"
    printf '\n#include "sett/sett.h"\n'
    inline "$(echo include/sett/*.h)" include/sett/sett.hpp
} >"$out/sett.hpp"
echo "amalgamate: $out/sett.h, $out/sett.hpp, $out/sett.c; in parts: $out/sett_*.c"
