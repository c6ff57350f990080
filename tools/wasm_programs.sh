#!/bin/sh
# The programs of examples/ as WebAssembly, for the pages that run them: programs.wasm, and
# programs.js with the same as base64 for pages that are opened as files. Needs clang, lld and wasi-libc.
#
#   tools/wasm_programs.sh <folder> <program.c>...
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
shift
objects=$root/build/site-library
flags="--target=wasm32-wasi -std=c11 -D_GNU_SOURCE -DNDEBUG -Os -ffunction-sections -fdata-sections -I$root/include"
mkdir -p "$out" "$objects"

# What did not change since is not compiled again.
newest=$(find "$root/include" "$root/src" "$0" -type f -newer "$objects/libsett.a" 2>/dev/null | head -n 1)
if [ ! -f "$objects/libsett.a" ] || [ -n "$newest" ]; then
    rm -f "$objects"/*
    (cd "$root/src" && find . -name '*.c' | sed 's/^\.\///') | while read -r source; do
        printf '%s\0%s\0' "$root/src/$source" "$objects/$(echo "$source" | tr / _ | sed 's/c$/o/')"
    done | xargs -0 -n 2 -P "${JOBS:-2}" sh -c '${CMAKE_C_COMPILER_LAUNCHER-} clang '"$flags -I$root/src"' -c "$0" -o "$1"'
    llvm-ar rcs "$objects/libsett.a" "$objects"/*.o 2>/dev/null || ar rcs "$objects/libsett.a" "$objects"/*.o
fi

# One file with all of them, which shares the library: the first word says which main runs.
cd "$out"
{
    echo '#include <string.h>'
    for program in "$@"; do
        echo "int program_$(basename "$program" .c)(void);"
    done
    echo 'int main(int count, char** words)'
    echo '{'
    for program in "$@"; do
        name=$(basename "$program" .c)
        echo "    if (count == 2 && strcmp(words[1], \"$name\") == 0) { return program_$name(); }"
    done
    printf '    return 127;\n}\n'
} >programs.new
if cmp -s programs.new programs.c && [ -z "$(find "$@" "$objects/libsett.a" -newer programs.js)" ]; then
    exit 0
fi
rm -f ./*.o programs.js
mv programs.new programs.c
for program in "$@" programs.c; do
    name=$(basename "$program" .c)
    main=
    [ "$program" = programs.c ] || main="-Dmain=program_$name -Wno-missing-prototypes"
    printf '%s\0%s\0%s\0' "$program" "$name.o" "$main"
done | xargs -0 -n 3 -P "${JOBS:-2}" sh -c '${CMAKE_C_COMPILER_LAUNCHER-} clang '"$flags"' $2 -c "$0" -o "$1"'
clang $flags ./*.o "$objects/libsett.a" -lm -Wl,--gc-sections,--strip-all -o programs.wasm
rm -f ./*.o
{ printf 'settPrograms="' && base64 programs.wasm | tr -d '\n' && printf '";\n'; } >programs.js
