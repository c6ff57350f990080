#!/bin/sh
# The programs of examples/ as WebAssembly, for the pages that run them: NAME.wasm, and NAME.js with
# the same as base64 for pages that are opened as files. Needs clang, lld and wasi-libc.
#
#   tools/wasm_programs.sh <folder> <program.c>...
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
shift
objects=$root/build/wasm
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
for program in "$@"; do
    name=$(basename "$program" .c)
    [ "$out/$name.js" -nt "$program" ] && [ "$out/$name.js" -nt "$objects/libsett.a" ] && continue
    clang $flags "$program" "$objects/libsett.a" -lm -Wl,--gc-sections,--strip-all -o "$out/$name.wasm"
    { printf 'settPrograms["%s"]="' "$name" && base64 "$out/$name.wasm" | tr -d '\n' && printf '";\n'; } >"$out/$name.js"
done
