#!/bin/sh
# One vocabulary: names and phrases that may not occur any more, each with what is said instead.
#
#   tools/check_words.sh
#   tools/check_words.sh --list    the list
#
# Exempt: this file, docs/migrating.md, the changelog, and the reports of measurements.
set -eu

# One a line: an extended regular expression, a tab, what to write.
words=$(sed -n '/^#WORDS$/,$p' "$0" | sed -n '/	/s/^# //p')

if [ "${1-}" = --list ]; then
    printf '%s\n' "$words"
    exit 0
fi

cd "$(dirname "$0")/.."
found=$({ git ls-files --cached --others --exclude-standard 2>/dev/null || find . -type f | sed "s/^\.\///"; } |
    grep -vE '^(tools/check_words\.sh|docs/migrating\.md|CHANGELOG\.md|docs/bench/)|\.(svg|png|bin|inc)$|corpus' | tr '\n' '\0' |
    xargs -0 grep -nHoE "$(printf '%s\n' "$words" | cut -f 1 | paste -s -d '|' -)" 2>/dev/null) || true
[ -z "$found" ] && exit 0
printf '%s\n' "$found" | while IFS= read -r line; do
    text=${line#*:}
    text=${text#*:}
    instead=$(printf '%s\n' "$words" | while IFS='	' read -r word now; do
        if printf '%s\n' "$text" | grep -qE "^($word)\$"; then
            printf '%s' "$now"
            break
        fi
    done)
    printf '%s - write: %s\n' "$line" "$instead"
done
exit 1

#WORDS
# \bSETT_STORAGE_(MATRIX|PACKED)\b	SETT_STORAGE_ARRAY, SETT_STORAGE_SPARSE_SET
# \bSETT_(READS|WRITES|OVERWRITES|HAVING|LACKS|MAY_READ|MAY_WRITE|ANY_OF)\b	SETT_IN, INOUT, OUT, WITH, WITHOUT, OPTIONAL, OPTIONAL_INOUT, ANY
# \bSETT_(QUERY|SYSTEM_QUERY)\b	SETT_QUERY_EACH, SETT_SYSTEM_EACH
# \bSETT_(STATUS_REFUSED|CHILDREN_REFUSE|CLEANUP_REFUSE|KEEP_RESULT)\b	REJECTED, REJECT, SETT_NODISCARD
# \bsett_(changed|world_advance|hierarchy_find_above|hierarchy_is_below)\b	sett_changed_tick, sett_world_advance_tick, sett_hierarchy_find_in_parent, sett_hierarchy_is_descendant
# [a-z]*_(matrix|loose|lanes?|doom|judge|keeper)(_[a-z_]*)?\b	array, dont_fragment, job, collect, validate, cow
# \b(setti_keeper|setti_kept|setti_ties|keep_from|unkept)[a-z_]*\b	cow, cascade
# \b(refus(e|es|ed|al|als|ing))\b	reject
# \b([Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Bb]e|[Bb]eing) told\b	is called, runs, is notified, is reported
# \b[Tt]old of\b	notified of, runs for
# (^|[^"])\b([Nn]o|[Ss]ome|[Ee]very)body\b	the subject's name: no observer, the caller
# \b[Ww]hoever\b	the subject's name: the caller, the thread
# \b[Cc]omes? to be\b	is created, becomes
