#!/bin/sh
# Builds Freedoom as a page, into build/web: a folder for any web server, which also works when
# index.html is opened as a file.
#
#   tools/web.sh
#
# MAP names the map that is shown; all others are simulated only.
set -eu
cd "$(dirname "$0")/.."

map=${MAP:-MAP01}
wads=${WADS:-/usr/share/games/doom/freedoom1.wad /usr/share/games/doom/freedoom2.wad}
papers=/usr/share/doc/freedoom
native=build/release
to=build/web
export CFLAGS= # those of the machine's own compiler, if any are set

cmake -S . -B $native -DSETT_BUILD_TESTS=OFF -DSETT_BUILD_BENCHMARKS=OFF >/dev/null
cmake --build $native --parallel "${JOBS:-2}" --target freedoom_cut freedoom_twin
cmake -Wno-dev -S . -B build/wasm -DCMAKE_TOOLCHAIN_FILE=cmake/wasm.cmake -DCMAKE_BUILD_TYPE=Release \
    -DSETT_BUILD_TESTS=OFF -DSETT_BUILD_BENCHMARKS=OFF -DSETT_INSTALL=OFF >/dev/null
cmake --build build/wasm --parallel "${JOBS:-2}" --target freedoom_web

mkdir -p $to/inline
cp freedoom/web/page/* tools/wasi.js addons/websocket/page/page_net.js $to
cp build/wasm/freedoom/web/freedoom.wasm $to
# shellcheck disable=SC2086 # a list of files
$native/freedoom/freedoom_cut $to "$map" $wads
gzip -9nf $to/first.wad $to/levels.wad
cp LICENSE $to/LICENSE.txt
cp $papers/copyright $to/FREEDOOM-COPYING.txt
gzip -dc $papers/CREDITS.gz >$to/FREEDOOM-CREDITS.txt
for name in freedoom.wasm first.wad.gz levels.wad.gz; do
    {
        printf '(window.inlined ??= {})["%s"] = "' "$name"
        base64 -w 0 "$to/$name"
        printf '";\n'
    } >"$to/inline/$name.js"
done
size() { cat "$@" | wc -c | awk '{ printf "%.1f MB", $1 / 1e6 }'; }
echo "web: Freedoom as a page: $map to play, all maps in its world; $(size $to/freedoom.wasm $to/first.wad.gz) to the first picture," \
    "$(size $to/levels.wad.gz) for all other maps"
echo "web: open $to/index.html, or serve the folder: make serve-web"
echo "web: what the compilers said is in build/log/web.txt"
