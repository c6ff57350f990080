#!/bin/sh
# The sizes that README.md gives are those of the library and of its first program, within 3 %; and a
# program of the two files is built in the time that it gives, or in at most thrice that.
#
#   tools/check_sizes.sh [folder of the amalgamation, by default build/amalgamation [its sett.o at -O2]]
#   SETT_WRITE=1 tools/check_sizes.sh     writes the sizes into README.md
#
# Text, as size(1) counts it, in KB of 1,000 bytes. They are those of gcc 12 on x86-64; other compilers
# are left out. Times are those of the processor: other programs make no difference.
set -eu

cd "$(dirname "$0")/.."
out=${1:-build/amalgamation}
status=0

[ "$(gcc -dumpversion | cut -d . -f 1) $(uname -m)" = "12 x86_64" ] || {
    echo "  skipped: sizes, which README.md gives for gcc 12 on x86-64"
    exit 0
}
[ $# = 2 ] || tools/amalgamate.sh "$out" >/dev/null
mkdir -p "$out/sizes/sett"
cp "$out/sett.h" "$out/sett.c" "$out/sizes/sett"

given() { # <number's place in this expression> <expression>
    found=$(tr '\n' ' ' <README.md | sed -n "s/.*$2.*/\\$1/p" | tr -d ,)
    [ -n "$found" ] || {
        echo "check_sizes: README.md does not say: $2" >&2
        exit 1
    }
    echo "$found"
}

hold() { # <what> <bytes> <KB in README.md>
    kb=$(($2 / 1000))
    echo "  $1: $kb KB"
    if [ "${SETT_WRITE:-0}" != 0 ]; then
        number=$(echo $kb | sed ':again; s/\([0-9]\)\([0-9]\{3\}\)\(,.*\)\{0,1\}$/\1,\2\3/; t again')
        sed "s/[0-9,]* KB for $1/$number KB for $1/" README.md >"$out/sizes/README.md"
        cat "$out/sizes/README.md" >README.md
    elif [ $((100 * kb)) -gt $((103 * $3)) ] || [ $((100 * kb)) -lt $((97 * $3)) ]; then
        echo "check_sizes: README.md says $3 KB for $1; SETT_WRITE=1 tools/check_sizes.sh writes the sizes"
        status=1
    fi
}

text() {
    size "$1" | awk 'NR == 2 { print $1 }'
}

compile() { # <flags> <object> [source, by default sett]
    # shellcheck disable=SC2086
    gcc -std=c11 $1 -c "$out/${3:-sett}.c" -o "$out/sizes/$2"
}

sizes='`-O2`): \([0-9,]*\) KB for the whole library, \([0-9,]*\) KB for the core, \([0-9,]*\) KB for a `-O2` core with `-Os` parts;  *\([0-9,]*\) KB'
whole=$(given 1 "$sizes")
core=$(given 2 "$sizes")
mixed=$(given 3 "$sizes")
program=$(given 4 "$sizes")
if [ $# = 2 ]; then
    cp "$2" "$out/sizes/whole.o"
else
    compile "-O2 -DNDEBUG" whole.o
fi
compile "-O2 -DNDEBUG" core.o sett_core
parts=$(text "$out/sizes/core.o")
for part in relation search state file inspect tune; do
    compile "-Os -DNDEBUG" part.o sett_$part
    parts=$((parts + $(text "$out/sizes/part.o")))
done
small="-Os -DNDEBUG -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables"
compile "$small" small.o
awk '/^```c$/ { inside = 1; text = ""; next }
    /^```/ && inside { inside = 0; if (text ~ /int main\(/) { print text; exit } }
    inside { text = text $0 "\n" }' README.md >"$out/sizes/program.c"
# shellcheck disable=SC2086
gcc -std=c11 $small -I"$out/sizes" "$out/sizes/program.c" "$out/sizes/small.o" -Wl,--gc-sections -pthread \
    -o "$out/sizes/program"
hold "the whole library" "$(text "$out/sizes/whole.o")" "$whole"
hold "the core" "$(text "$out/sizes/core.o")" "$core"
hold "a \`-O2\` core with \`-Os\` parts" "$parts" "$mixed"
hold "the program" "$(text "$out/sizes/program")" "$program"

# The shell counts what its children took: minutes and seconds, on the second line, user time first.
# Not in a pipe, which is a shell of its own and has no children.
given 1 '\(-g -O1 -c sett\/sett.c -o sett.o  *# in your project, once: half a minute\)' >/dev/null
seconds=$(
    compile "-g -O1" debug.o
    times >"$out/sizes/times"
    sed -n '2s/^\([0-9]*\)m\([0-9]*\).*/\1 \2/p' "$out/sizes/times" | awk '{ print $1 * 60 + $2 }'
)
echo "  compiled at -g -O1 in $seconds s"
[ "$seconds" -le 90 ] || {
    echo "check_sizes: README.md says half a minute" >&2
    status=1
}
exit $status
