#!/bin/sh
# The law of layers.
#
#   tools/check_layers.sh
#   tools/check_layers.sh --list    the layers, lowest first
#
# A file in src/<layer>/ includes its own layer, the layers that it may see, and the public headers.
#
#     base < value < store < world < { query, relation, search, run, state, file, inspect }
#     among the seven: search sees query and relation; run sees query; inspect sees query and run; file sees run,
#     state and relation; inspect and state know relations by what these register (world/codec.h)
#
# The order below is that of the amalgamation; nothing includes what stands behind it. A public header includes public headers only. Private headers are named
# from src/ on ("store/storage.h"), public ones from include/ on ("sett/id.h"). Besides, a file's
# name occurs once in the repository, so that a name alone says which file is meant and the
# amalgamation can be read. Reports file:line for each breach.
set -eu

# Lowest first.
layers="base value store world query relation search run state file inspect"

# The first four are seen by all that stand behind them; these see one another as well.
arrows="search>query search>relation run>query inspect>query inspect>run file>run file>state file>relation"

# Names that tools or habit prescribe, and may therefore occur in several folders.
common_names="README.md CMakeLists.txt .gitignore"

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

# Corpora are named by the fuzzer and may repeat themselves.
find . \( -path ./.git -o -path ./build -o -path ./out -o -path ./test/corpus \) -prune \
    -o -type f -print | sort | awk -v common="$common_names" '
    BEGIN {
        count = split(common, name, " ")
        for (i = 1; i <= count; i++) {
            exempt[name[i]] = 1
        }
    }
    {
        path = substr($0, 3)
        base = path
        sub(/.*\//, "", base)
        if (base in exempt) {
            next
        }
        if (base in first) {
            print path ":1: " first[base] " has the same name"
        } else {
            first[base] = path
        }
    }
' >>"$found"

if [ -s "$found" ]; then
    cat "$found" >&2
    echo "check_layers: $(awk 'END { print NR }' "$found") breaches" >&2
    exit 1
fi
