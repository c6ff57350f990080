#!/bin/sh
# Counts instructions and first-level cache misses of relationships and prefabs, under cachegrind:
# figures that other programs on the machine do not disturb.
#
#   tools/count.sh
#
# Each scene of bench/count_relations.c runs with what is to be counted and without; the difference
# is printed. Needs gcc and valgrind. Builds lie in build/count.
set -eu

cd "$(dirname "$0")/.."
out=build/count
mkdir -p "$out"
gcc -std=c11 -O3 -DNDEBUG -Iinclude -Isrc bench/count_relations.c src/*/*.c -lpthread \
    -o "$out/count_relations"

count() { # <scene>...: instructions and misses of reading and writing
    # Of string instructions valgrind counts every step.
    GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=1000000000 valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null \
        "$out/count_relations" "$@" 2>&1 | tr -d , | awk '
        / I *refs:/ { instructions = $4 }
        / D1 *misses:/ { misses = $4 }
        END { print instructions, misses }'
}

row() { # <label> <per how many> <units> <arguments with> -- <arguments without>
    label=$1
    per=$2
    shift 2
    with=
    while [ "$1" != -- ]; do
        with="$with $1"
        shift
    done
    shift
    echo "$label|$per|$(count $with)|$(count "$@")" | awk -F'|' '{
        split($3, a, " ")
        split($4, b, " ")
        printf "%-44s %9.3f instructions  %8.4f D1 misses\n", $1, (a[1] - b[1]) / $2, (a[2] - b[2]) / $2
    }'
}

echo "P += V * dt, 100,000 entities, for each:"
row "  all related to one target" 1000000 targets 1 12 -- targets 1 2
row "  to ten thousand" 1000000 targets 10000 12 -- targets 10000 2
row "  to one, one of them being a prefab" 1000000 hidden 1 12 -- hidden 1 2
echo "creating 100,000 entities of 5 components, for each:"
row "  in bulk" 200000 bulk 3 -- bulk 1
row "  in bulk, with values given" 200000 given 3 -- given 1
row "  instances of a prefab" 200000 prefab 3 -- prefab 1
