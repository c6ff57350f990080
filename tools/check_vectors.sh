#!/bin/sh
# Do compilers make vector code of the loops that loop.h promises it for?
#
# Compiles loops over a query with 2 to 32 pairs of float operations (a multiplication and an
# addition) in their bodies and looks in the assembly for sparse-set arithmetic whose results are stored
# whole. Two bodies: `chain` works on one number a row, pair after pair; `fields` on the two numbers
# of a struct, in memory. The reserved ones are required; the rest of the table is only printed.
set -eu

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pairs="2 4 5 8 16 32"
promised_each=5 # pairs: ten operations

case $(gcc -dumpmachine) in
x86_64*)
    arithmetic='^[[:space:]]*v?(mul|add|fmadd(132|213|231))ps[[:space:]]'
    store='^[[:space:]]*v?mov[ua]p[sd][[:space:]]+%[xy]mm[0-9]+, *-?[0-9]*\(%r'
    ;;
aarch64*)
    arithmetic='^[[:space:]]*f(mla|mul|add)[[:space:]]+v[0-9]+\.4s'
    store='^[[:space:]]*(str|stp)[[:space:]]+q[0-9]+'
    ;;
*)
    echo "  skipped: it does not know the instructions of $(gcc -dumpmachine)"
    exit 0
    ;;
esac

write_loop() { # <macro> <body> <pairs>
    printf '#include "sett/sett.h"\n\n'
    printf 'typedef struct pair {\n    float x, y;\n} pair;\n\n'
    printf 'void loop(sett_query* query, float dt);\n'
    printf 'void loop(sett_query* query, float dt)\n{\n'
    type=pair
    [ "$2" != chain ] || type=float
    fields="$type* p = sett_batch_field(b, 0); const $type* v = sett_batch_field(b, 1);"
    if [ "$1" = SETT_FOR ]; then
        printf '    {\n        SETT_FOR(query, b, i) {\n            %s\n' "$fields"
    else
        printf '    SETT_QUERY_EACH(query, b) {\n        %s\n        %s(b, i) {\n' "$fields" "$1"
    fi
    [ "$2" != chain ] || printf '            float x = p[i];\n'
    k=0
    while [ "$k" -lt "$3" ]; do
        if [ "$2" = chain ]; then
            printf '            x = x * dt + v[i];\n'
        elif [ $((k % 2)) = 0 ]; then
            printf '            p[i].x += v[i].x * dt;\n'
        else
            printf '            p[i].y += v[i].y * dt;\n'
        fi
        k=$((k + 1))
    done
    [ "$2" != chain ] || printf '            p[i] = x;\n'
    printf '        }\n    }\n}\n'
}

is_vector() { # <macro> <body> <pairs> <compiler and options>
    write_loop "$1" "$2" "$3" >"$work/loop.c"
    $4 -std=c11 -DNDEBUG -Iinclude -S "$work/loop.c" -o "$work/loop.s" || {
        echo "check_vectors: $4: the loop does not compile" >&2
        exit 1
    }
    grep -Eq "$arithmetic" "$work/loop.s" && grep -Eq "$store" "$work/loop.s"
}

failed=0
checks=0

row() { # <macro> <most pairs promised> <compiler and options>
    for body in chain fields; do
        line=
        for n in $pairs; do
            checks=$((checks + 1))
            if is_vector "$1" "$body" "$n" "$3"; then
                line="$line $n"
            elif [ "$n" -le "$2" ]; then
                echo "check_vectors: $1, $3: $n pairs ($body) do not become vector code" >&2
                failed=1
            fi
        done
        printf '  %-14s %-10s %-7s sparse-set at pairs:%s\n' "$1" "$3" "$body" "${line:- none}"
    done
}

for compiler in gcc clang; do
    row SETT_FOR "$promised_each" "$compiler -O3"
    row SETT_EACH "$promised_each" "$compiler -O3"
    row SETT_EACH_RUN 32 "$compiler -O3"
done
row SETT_EACH 0 "clang -O2"
row SETT_EACH_RUN 32 "clang -O2"
row SETT_EACH 0 "gcc -O2"
row SETT_EACH_RUN 0 "gcc -O2"

# That nothing is found where nothing can be: else the patterns prove nothing.
for compiler in gcc clang; do
    if is_vector SETT_EACH_RUN chain 8 "$compiler -O1"; then
        echo "check_vectors: $compiler -O1 seems to make vector code; the patterns are wrong" >&2
        failed=1
    fi
done
[ "$failed" = 0 ] || exit 1
echo "$checks loops"
