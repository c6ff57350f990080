#!/bin/sh
# Tests the page that tools/web.sh made, in Debian's chromium: tools/test_web.sh [SCRIPTS]
# Pictures go to out/web-*.png. Only this test needs npm: it drives the browser by playwright-core.
#
#   tools/test_web.sh --together    only pages that join a host
set -eu
cd "$(dirname "$0")/.."

wads=${WADS:-/usr/share/games/doom/freedoom1.wad /usr/share/games/doom/freedoom2.wad}
driver=$(tools/browser.sh)/playwright-core
native=build/release/freedoom
if [ "${1-}" != --together ]; then
    # shellcheck disable=SC2086 # a list of files
    node freedoom/web/test/page.mjs "$driver" build/web $native/freedoom_twin \
        out "${1:-100}" $wads
fi
cmake --build build/release --parallel "${JOBS:-2}" --target freedoom_play >/dev/null
node freedoom/web/test/together.mjs "$driver" $native/freedoom_play build/web "${MAP:-MAP01}" out
