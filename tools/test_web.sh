#!/bin/sh
# Tests the page that tools/web.sh made, in Debian's chromium: tools/test_web.sh [SCRIPTS]
# Pictures go to out/web-*.png. Only this test needs npm: it drives the browser by playwright-core.
set -eu
cd "$(dirname "$0")/.."

wads=${WADS:-/usr/share/games/doom/freedoom1.wad /usr/share/games/doom/freedoom2.wad}
driver=$(tools/browser.sh)/playwright-core
# shellcheck disable=SC2086 # a list of files
node freedoom/web/test/page.mjs $driver build/web build/release/freedoom/freedoom_twin \
    out "${1:-100}" $wads
