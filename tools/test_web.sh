#!/bin/sh
# Tests the page that tools/web.sh made, in Debian's chromium: tools/test_web.sh [SCRIPTS]
# Pictures go to out/web-*.png. Only this test needs npm: it drives the browser by playwright-core.
set -eu
cd "$(dirname "$0")/.."

driver=build/web-test/node_modules/playwright-core
wads=${WADS:-/usr/share/games/doom/freedoom1.wad /usr/share/games/doom/freedoom2.wad}
if [ ! -d $driver ]; then
    mkdir -p build/web-test
    npm install --prefix build/web-test --silent --no-audit --no-fund playwright-core@1
fi
# shellcheck disable=SC2086 # a list of files
node examples/freedoom/web/test/page.mjs $driver build/web build/release/examples/freedoom/freedoom_twin \
    out "${1:-100}" $wads
