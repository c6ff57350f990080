#!/bin/sh
# The model tests (test/test_model*.c) at length, as many side by side as JOBS says; loops at length;
# and 1,000 programs (SETT_KILLS) that are killed while they save.
#
#   tools/soak.sh <folder of a build> [operations, by default 10000000]
#
# SETT_SEED chooses another run (1). Each line begins with the name of its test;
# the last line says how it went. No time is too long. The first failure ends the others when
# they are done: each prints the seed that leads there again.
set -eu

cd "$(dirname "$0")/.."
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}

if [ "${1-}" = --one ]; then # started by ourselves, side by side
    name=$(basename "$2")
    begin=$(date +%s)
    # The status goes through a file: that of a pipe is its last command's.
    { env -C "$(dirname "$2")" "./$name" 2>&1 || : >"$3/$name.failed"; } | while IFS= read -r line; do
        printf '%-20s %s\n' "$name" "$line"
    done
    echo "$name $(($(date +%s) - begin)) s" >"$3/$name.done"
    exit 0
fi

folder=$1
export SETT_OPERATIONS="${2:-10000000}" SETT_SEED="${SETT_SEED:-1}" SETT_KILLS="${SETT_KILLS:-1000}"
said=build/soak
rm -rf $said
mkdir -p $said
# Those that take longest go first: so the last two end at about the same time.
for name in test_model test_model_state test_model_run test_model_delta test_model_relation \
    $(find "$folder/test" -type f \( -name 'test_model*' -o -name test_kill \
        -o -name test_loop_random \) -exec basename '{}' ';' | sort); do
    [ ! -x "$folder/test/$name" ] || echo "$folder/test/$name"
done | awk '!seen[$0]++' >$said/list
count=$(wc -l <$said/list)
[ "$count" != 0 ] || {
    echo "soak: there is no model test in $folder" >&2
    exit 1
}

tr '\n' '\0' <$said/list | xargs -0 -P "$jobs" -I '{}' "$0" --one '{}' $said
failed=$(find $said -name '*.failed' | wc -l)
done=$(find $said -name '*.done' | wc -l)
echo "soak: SETT_OPERATIONS=$SETT_OPERATIONS SETT_SEED=$SETT_SEED, $((done - failed)) of $count" \
    "passed: $(cat $said/*.done | tr '\n' ',' | sed 's/,$//; s/,/, /g')"
[ "$failed" = 0 ] && [ "$done" = "$count" ]
