#!/bin/sh
# Is the code laid out as .clang-format says?
#
#   tools/check_format.sh          reports what is not, as file:line
#   tools/check_format.sh --fix    lays it out (make format); lines that comments make too long stay
set -eu

cd "$(dirname "$0")/.."
columns=100
files=
for folder in include src test examples freedoom addons bench bindings; do
    [ -d "$folder" ] && files="$files $(find "$folder" -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' | sort)"
done

if [ "${1-}" = --fix ]; then
    clang-format -i $files
    exit 0
fi

status=0
# length() counts bytes in some awks: the bytes that continue a letter are kept out of the count.
LC_ALL=C awk -v columns="$columns" '
    {
        line = $0
        gsub(/[\200-\277]/, "", line)
    }
    length(line) > columns {
        print FILENAME ":" FNR ": longer than " columns " columns"
        found = 1
    }
    END { exit found }
' $files >&2 || status=1
clang-format --dry-run --Werror $files || status=1
exit $status
