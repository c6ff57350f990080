#!/bin/sh
# The law of layers.
#
#   tools/check_layers.sh
#   tools/check_layers.sh --list    the layers, lowest first
#
# A file in src/<layer>/ includes its own layer, the layers that it may see, and the public headers.
#
#     base < value < store < world < { query, run, relation, search, state, file, inspect, tune }
#     among the eight: run sees query; search sees query and relation; file sees run, state and
#     relation; tune sees query and run; inspect and state know relations by what these register
#     (world/codec.h)
#
# The order below is that of the amalgamation; nothing includes what stands behind it. A public
# header includes public headers only. Private headers are named from src/ on ("store/storage.h"),
# public ones from include/ on ("sett/id.h"). Besides, world/ names nothing that a layer above
# declares. A header, its private header and its source share one name; two sources do not, because
# archives hold them side by side. Reports file:line for each breach.
set -eu

# Lowest first.
layers="base value store world query run relation search state file inspect tune"

# The first four are seen by all that stand behind them; these see one another as well.
arrows="search>query search>relation run>query tune>query tune>run file>run file>state file>relation"

if [ "${1-}" = --list ]; then
    printf '%s\n' $layers
    exit 0
fi

cd "$(dirname "$0")/.."
found=$(mktemp)
trap 'rm -f "$found"' EXIT

files=$(find include src -type f -name '*.[ch]' 2>/dev/null | sort)
[ -n "$files" ] || {
    echo "check_layers: no sources in $(pwd)" >&2
    exit 1
}

awk -v layers="$layers" -v arrows="$arrows" '
    BEGIN {
        count = split(layers, name, " ")
        for (i = 1; i <= count; i++) {
            height[name[i]] = i
        }
        count = split(arrows, name, " ")
        for (i = 1; i <= count; i++) {
            sees[name[i]] = 1
        }
    }
    function breach(text) {
        print FILENAME ":" FNR ": " text
    }
    FNR == 1 {
        split(FILENAME, part, "/")
        own = part[1] == "src" ? part[2] : "" # "" stands for the public headers
        if (part[1] == "src" && !(own in height)) {
            breach("lies in no layer (" layers ")")
        }
    }
    /^[ \t]*#[ \t]*include[ \t]*["<]/ {
        quoted = $0 ~ /include[ \t]*"/
        target = $0
        sub(/^[^"<]*["<]/, "", target)
        sub(/[">].*/, "", target)
        split(target, part, "/")
        if (part[1] == "sett") {
            next
        }
        if (target ~ /\.\.?\//) {
            breach("\"" target "\": name headers from src/ or include/ on")
        } else if (part[1] in height) {
            if (own == "") {
                breach("a public header must not include the private " target)
            } else if (height[part[1]] > height[own]) {
                breach(own " must not include " target ", which lies further up")
            } else if (part[1] != own && height[part[1]] > 4 && !((own ">" part[1]) in sees)) {
                breach(own " must not include " target ", which lies beside it")
            }
        } else if (quoted) {
            breach("\"" target "\" is neither public nor in a layer")
        }
    }
' $files >"$found"

# world/ knows the layers above by world/module.h alone: it names nothing that one of them declares,
# and none of their files. No slot is used twice.
awk '
    FNR == 1 {
        split(FILENAME, part, "/")
        own = part[2]
        public = part[1] == "include"
        low = own ~ /^(base|value|store|world)$/
    }
    # What is declared, by layer: structs, types, macros, functions of headers.
    pass == 1 && !public {
        name = ""
        if (match($0, /^(typedef )?(struct|enum|union) setti?_[a-z0-9_]+ \{/)) {
            split($0, word, " ")
            name = word[1] == "typedef" ? word[3] : word[2]
        } else if (match($0, /^} setti?_[a-z0-9_]+;/)) {
            name = substr($0, 3, RLENGTH - 3)
        } else if (match($0, /^#define SETTI_[A-Z0-9_]+/)) {
            name = substr($0, 9, RLENGTH - 8)
        } else if (FILENAME ~ /\.h$/ && match($0, /^[a-zA-Z].*[ *]setti_[a-z0-9_]+\(/)) {
            name = $0
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
        }
        if (name != "" && low) {
            below[name] = 1
        } else if (name != "") {
            above[name] = own
        }
    }
    pass == 1 && !public && match($0, /SETTI_SLOT_[A-Z0-9_]+ = [0-9]+/) {
        number = substr($0, RSTART, RLENGTH)
        sub(/.* = /, "", number)
        if (number in slot) {
            print FILENAME ":" FNR ": slot " number " is used in " slot[number]
        }
        slot[number] = FILENAME
    }
    pass == 2 && own == "world" {
        rest = $0
        while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
            name = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            if (name in above && !(name in below)) {
                print FILENAME ":" FNR ": world names " name ", which " above[name] " declares"
            }
        }
        if (match($0, /(query|relation|search|run|state|file|inspect|tune)\/[a-z_]*\.[ch]/)) {
            print FILENAME ":" FNR ": world names " substr($0, RSTART, RLENGTH)
        }
    }
' pass=1 $files pass=2 $(printf '%s\n' $files | grep '^src/world/') >>"$found"

find src -name '*.c' | sort | awk -F / '{
    if ($NF in first) {
        print $0 ":1: " first[$NF] " has the same name"
    }
    first[$NF] = $0
}' >>"$found"

if [ -s "$found" ]; then
    cat "$found" >&2
    echo "check_layers: $(awk 'END { print NR }' "$found") breaches" >&2
    exit 1
fi
