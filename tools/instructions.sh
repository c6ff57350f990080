#!/bin/sh
# Counts the instructions of the scenes in bench/count_main.c and compares them with a baseline.
#
#   tools/instructions.sh             compare: warns of scenes that take 3 % more, fails at 10 %
#   tools/instructions.sh --update    write the baseline of this toolchain anew
#   tools/instructions.sh --compare <baseline> <counts>    only compare two lists
#   tools/instructions.sh --promises <counts>    only compare with what headers state
#
# Instructions do not depend on what else the machine does, so a change of a few in a hundred shows,
# which no clock on a busy machine would show. They do depend on the compiler and a little on the C
# library: there is a baseline for each pair in bench/instructions/, and where there is none this
# says so and passes. CC chooses the compiler.
set -eu

cd "$(dirname "$0")/.."
cc=${CC:-gcc}
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
noticed=3 # per cent: a scene is printed
allowed=10 # per cent: it fails

# The second list against the first. Both are sorted by name.
compare() { # <baseline> <counts>
    join -a 1 -a 2 -e - -o 0,1.2,2.2 "$1" "$2" | awk -v noticed=$noticed -v allowed=$allowed '
        function report(what) {
            printf "  %s takes %.2f instructions an operation, it took %.2f (%+.1f %%)%s\n",
                $1, $3, $2, change, what
        }
        $2 == "-" || $3 == "-" {
            printf "  %s is %s: tools/instructions.sh --update\n", $1, $2 == "-" ? "new" : "gone"
            bad++
            next
        }
        {
            change = ($3 / $2 - 1) * 100
            if (change > noticed) {
                report(change > allowed ? ": more than " allowed " %" : ": a warning")
                bad += change > allowed
            } else if (change < -noticed) {
                report(": tools/instructions.sh --update keeps it so")
            }
            count++
        }
        END {
            printf "  %d scenes compared\n", count
            exit (bad > 0)
        }'
}

# What public headers state: see bench/promises.txt.
promises() { # <counts>
    for header in include/sett/*.h; do
        grep -nE '[0-9] (ns|us|ms|instructions)($|[^a-z_])' "$header" |
            sed "s|^|$(basename "$header"):|" || true
    done | awk -v counts="$1" '
        function check(name, most, words, header) {
            if (name != "-" && !(name in count)) {
                printf "  promises.txt: there is no scene %s\n", name
                bad++
            } else if (name != "-" && count[name] > most) {
                printf "  %s takes %.2f instructions, and %s promises (%s): at most %d\n", name,
                    count[name], header, words, most
                bad++
            }
        }
        FILENAME == "bench/promises.txt" {
            if ($0 !~ /^#/ && NF > 3) {
                words = $0
                sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", words)
                sub(/ ; .*/, "", words)
                promised[++last] = words
                where[last] = $3
                check($1, $2, words, $3)
            }
            next
        }
        FILENAME == counts { count[$1] = $2; next }
        {
            found = 0
            for (k = 1; k <= last; k++) {
                found += index($0, where[k] ":") == 1 && index($0, promised[k]) != 0
            }
            if (found == 0) {
                printf "  a cost that bench/promises.txt does not have: %s\n", $0
                bad++
            }
        }
        END { exit (bad > 0) }' "$1" bench/promises.txt - || return 1
    grep -v '^#' bench/promises.txt | while read -r scene most header words; do
        [ -z "$scene" ] || grep -qF -e "${words%% ; *}" "include/sett/$header" || {
            echo "  promises.txt: $header does not say \"${words%% ; *}\""
            exit 1
        }
    done
}

if [ "${1-}" = --compare ]; then
    compare "$2" "$3"
    exit
fi

if [ "${1-}" = --promises ]; then
    promises "$2"
    exit
fi

version=$($cc -dumpfullversion 2>/dev/null || $cc -dumpversion)
name=$($cc --version | sed -n '1s/.*\(clang\).*/clang/p')
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null | tr ' ' '-' || echo unknown)
key=${name:-gcc}-$version-$libc-$(uname -m)
baseline=bench/instructions/$key.txt

command -v valgrind >/dev/null 2>&1 || {
    echo "  skipped: instructions (Debian: valgrind)"
    exit 0
}
if [ "${1-}" != --update ] && [ ! -f "$baseline" ]; then
    echo "  skipped: no baseline for $key (tools/instructions.sh --update would write one)"
    exit 0
fi

# The library as a user compiles it: -O2, file by file, nothing of this machine's own. Symbols are
# bound at the start, or the scene that calls one first would pay for it.
out=build/instructions/$key
mkdir -p "$out"
rm -f "$out"/*
find src -name '*.c' | xargs -P "$jobs" -I '{}' sh -c \
    "$cc -std=c11 -O2 -DNDEBUG -Iinclude -Isrc -c '{}' -o '$out'/\$(basename '{}' .c).o"
$cc -std=c11 -O2 -DNDEBUG -Iinclude bench/count_main.c "$out"/*.o -Wl,-z,now -o "$out/counts" -lpthread

# The C library picks its copying loops by processor: always those that every x86-64 has.
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM,-AVX_Fast_Unaligned_Load
export GLIBC_TUNABLES
valgrind --tool=callgrind --callgrind-out-file="$out/dump" "$out/counts" \
    >"$out/scenes.txt" 2>"$out/valgrind.txt" || {
    cat "$out/valgrind.txt"
    exit 1
}
for dump in "$out"/dump.*; do
    awk '/^desc: Trigger: Client Request: / { name = $NF }
        /^(summary|totals):/ { total = $2 }
        END { if (name != "") print name, total }' "$dump"
done | sort >"$out/totals.txt"
sort "$out/scenes.txt" | join - "$out/totals.txt" |
    awk '{ printf "%-18s %12.2f\n", $1, $3 / $2 }' >"$out/counts.txt"
[ "$(wc -l <"$out/counts.txt")" = "$(wc -l <"$out/scenes.txt")" ] || {
    echo "  callgrind did not count all scenes; see $out"
    exit 1
}

if [ "${1-}" = --update ]; then
    mkdir -p bench/instructions
    cp "$out/counts.txt" "$baseline"
    echo "  wrote $baseline, $(wc -l <"$baseline") scenes"
    exit 0
fi
promises "$out/counts.txt"
compare "$baseline" "$out/counts.txt"
