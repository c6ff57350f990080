#!/bin/sh
# Builds the arena that pages join: the page into build/web-arena, and its server.
#
#   tools/arena_web.sh            then: build/release/examples/arena_server
#   tools/arena_web.sh --test     and tests both, with two pages in a browser
set -eu
cd "$(dirname "$0")/.."

native=build/release
to=build/web-arena
unset CFLAGS
cmake -S . -B $native -DSETT_BUILD_TESTS=OFF -DSETT_BUILD_BENCHMARKS=OFF >/dev/null
if ! cmake --build $native --parallel "${JOBS:-2}" --target arena_server >/dev/null; then
    echo "arena_web: the server was not built: libcivetweb is missing (Debian: libcivetweb-dev)" >&2
    exit 1
fi
mkdir -p $to
cp examples/arena/web/index.html examples/arena/web/page.js tools/wasi.js addons/websocket/page/page_net.js $to
clang --target=wasm32-wasi -std=gnu11 -O2 -DNDEBUG -mexec-model=reactor -Iinclude -Isrc -Iaddons/net -Iaddons/websocket/page \
    examples/arena/web/page.c addons/websocket/page/page_net.c addons/net/*.c src/*/*.c -lm -o $to/arena.wasm \
    -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=1048576 -Wl,--stack-first
echo "arena_web: $(wc -c <$to/arena.wasm | awk '{ printf "%.0f KB", $1 / 1000 }') in $to," \
    "for $native/examples/arena_server"
if [ "${1-}" = --test ]; then
    node examples/arena/web/test.mjs "$(tools/browser.sh)/playwright-core" \
        $native/examples/arena_server $to out
fi
