#!/bin/sh
# Builds the inspector's page: addons/inspector/page.inc, which the server contains, and the same page
# as one file for recordings, build/page/inspector.html.
#
#   tools/page.sh            build it (make page)
#   tools/page.sh --check    build it, and compare with the page.inc that is there
#   tools/page.sh --test <build>    the same, and drive the page in a browser (make test-inspector)
#   tools/page.sh --drive <build>   drive the page of page.inc in a browser; needs no clang for WebAssembly
#   tools/page.sh --unpack   write build/page/inspector.html from page.inc; needs no node and no clang
#
# The page is the same, byte for byte, for the same sources, compiler and packages: package-lock.json
# holds the versions of the packages, and Debian's clang 14 compiles the replica for WebAssembly.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=$root/build/page
page=$root/addons/inspector/page
mkdir -p "$out"

unpack() { # <array of page.inc>: its bytes
    awk -v name="$1[" 'index($0, name) { on = 1; next } /^}/ { on = 0 } on' \
        "$root/addons/inspector/page.inc" | tr -d ' \n' | tr ',' '\n' |
        awk '{ printf "\\0%03o", $1 } NR % 4096 == 0 { print "" }' | tr '\n' '\0' |
        xargs -0 -n 1 printf '%b'
}

whole() { # the page as one file, from page.inc
    { # as build.mjs puts them together
        unpack page_bytes | gunzip
        printf '<script id="replica" type="application/wasm;base64">'
        unpack page_replica | base64 | tr -d '\n'
        printf '</script>\n'
    } >"$out/inspector.html.$$"
    mv "$out/inspector.html.$$" "$out/inspector.html" # another program may read it
}

packages() {
    cp "$page"/package.json "$page"/package-lock.json "$out"
    if [ ! -d "$out/node_modules" ] || [ "$page/package-lock.json" -nt "$out/node_modules" ]; then
        (cd "$out" && npm ci --ignore-scripts --no-audit --no-fund >/dev/null)
        touch "$out/node_modules"
    fi
}

drive() { # <build>: the page that is tested is that of page.inc
    build=$root/$1
    whole
    cd "$out"
    cc -std=c11 -DNDEBUG -I"$root/include" "$page/crowded.c" "$build/libsett.a" -lpthread -lm -o crowded
    ./crowded crowded.rec
    "$build/freedoom/freedoom" --map MAP01 --ticks 1050 --png none --no-rewind \
        --record freedoom.rec >/dev/null 2>&1
    node "$page/test.mjs" "$build/freedoom/freedoom" freedoom.rec crowded.rec "$out/inspector.html"
}

case ${1-} in
--unpack)
    whole
    echo "page: $out/inspector.html"
    exit 0
    ;;
--drive)
    packages
    drive "$2"
    exit 0
    ;;
esac

"$root/tools/amalgamate.sh" "$out" >/dev/null
clang --target=wasm32-wasi -mexec-model=reactor -O2 -mbulk-memory -mllvm -inline-threshold=50 -DNDEBUG -ffile-prefix-map="$root"=. -I"$out" \
    "$root/addons/inspector/replica/follow_view.c" -o "$out/replica.wasm" -Wl,--strip-all
packages
cd "$out"
inc=$root/addons/inspector/page.inc
[ -n "${1-}" ] && inc=$out/page.inc
node "$page/build.mjs" "$out/replica.wasm" "$out/inspector.html" "$inc"
if [ -n "${1-}" ] && ! cmp -s "$inc" "$root/addons/inspector/page.inc"; then
    echo "page: page.inc is not what its sources make: run make page" >&2
    exit 1
fi

if [ "${1-}" = --test ]; then
    drive "$2"
fi
