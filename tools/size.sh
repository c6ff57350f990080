#!/bin/sh
# How much code a program gets from Sett: gcc -Os, unused functions left out by the linker.
#
#   tools/size.sh                    bytes of text, as size(1) counts them, of a usual program, of
#                                    all of core.h, and of all headers
#   tools/size.sh --functions [n]    besides, the n (30) largest functions of the second
#
# The usual program registers components, creates and destroys, adds, gets and removes, loops over a
# query and records commands. The others take the address of every function of core.h (with base.h
# and id.h), and of all public headers. What a program without Sett has is taken off. Of the text a
# fifth is tables for unwinding the stack, which only debuggers and exceptions thrown through Sett
# want: -fno-asynchronous-unwind-tables leaves them out. CC chooses the compiler. Builds lie in
# build/size.
set -eu

cd "$(dirname "$0")/.."
cc=${CC:-gcc}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
out=build/size
flags="-std=c11 -Os -DNDEBUG -ffunction-sections -fdata-sections -Iinclude"
rm -rf $out
mkdir -p $out
find src -name '*.c' | xargs -P "$jobs" -I '{}' sh -c \
    "$cc $flags -Isrc -c '{}' -o $out/\$(basename '{}' .c).o"
mkdir -p $out/programs

cat >$out/programs/nothing.c <<'C'
int main(void)
{
    return 0;
}
C
cat >$out/programs/usual.c <<'C'
#include "sett/sett.h"

typedef struct vector {
    float x, y;
} vector;

int main(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){0});
    sett_component p = sett_component_register(world, &(sett_component_desc){SETT_TYPE(vector)});
    sett_component v = sett_component_register(
        world, &(sett_component_desc){.name = "speed", .size = sizeof(vector)});
    sett_entity e = sett_entity_create(world);
    vector* at = sett_add(world, e, p);
    at->x = 1;
    (void)sett_add(world, e, v);
    sett_query* query = sett_query_create(
        world, &(sett_query_desc){.terms = {{.component = p}, {.component = v}}});
    SETT_QUERY_EACH(query, b) {
        vector* position = sett_batch_field(b, 0);
        const vector* speed = sett_batch_field(b, 1);
        SETT_EACH(b, i) {
            position[i].x += speed[i].x;
        }
    }
    (void)sett_remove(world, e, v);
    sett_commands* commands = sett_commands_here(world);
    (void)sett_cmd_destroy(commands, e);
    (void)sett_commands_apply(commands);
    sett_world_destroy(world);
    return 0;
}
C

# A program that takes the address of each function that these headers declare and the library has.
everything() { # <header>...
    for header in "$@"; do
        echo "#include \"${header#include/}\""
    done
    echo 'typedef void (*function)(void);'
    echo 'extern const function all[];'
    echo 'const function all[] = {'
    cat "$@" | grep -o '\bsett_[a-z0-9_]*(' | tr -d '(' | sort -u >$out/named
    nm -g --defined-only -P $out/*.o | awk 'NF > 1 && $2 == "T" { print $1 }' | sort |
        join - $out/named | sed 's/.*/    (function)&,/'
    echo '};'
    echo 'int main(int count, char** arguments)'
    echo '{'
    echo '    (void)arguments;'
    echo '    const function* volatile at = all;'
    echo '    return at[count] == 0;'
    echo '}'
}
everything include/sett/base.h include/sett/id.h include/sett/core.h include/sett/command.h include/sett/group.h include/sett/sort.h \
    >$out/programs/core.c
everything include/sett/*.h >$out/programs/all.c

sizes() { # <program>: text, and what of it is code, constants, tables for unwinding
    $cc $flags -Wl,--gc-sections $out/programs/"$1".c $out/*.o -pthread -o $out/programs/"$1"
    {
        size $out/programs/"$1" | awk 'NR == 2 { print "text", $1 }'
        size -A $out/programs/"$1"
    } | awk '$1 == "text" { text = $2 }
        $1 == ".text" { code = $2 }
        $1 ~ /^\.rodata/ { constants += $2 }
        $1 ~ /^\.eh_frame/ { tables += $2 }
        END { print text, code, constants, tables }'
}

nothing=$(sizes nothing)
printf '  %-18s %7s %7s %10s %10s\n' "bytes at -Os" text code constants unwinding
for row in "usual:a usual program" "core:all of core.h" "all:all headers"; do
    echo "$(sizes "${row%%:*}") $nothing" | awk -v name="${row#*:}" '{
        printf "  %-18s %7d %7d %10d %10d\n", name, $1 - $5, $2 - $6, $3 - $7, $4 - $8 }'
done
if [ "${1-}" = --functions ]; then
    nm --size-sort -r -S $out/programs/core | awk '$3 ~ /[tT]/ { print $2, $4 }' |
        head -n "${2:-30}" | while read -r size name; do
        printf '  %-44s %6d\n' "$name" "0x$size"
    done
fi
