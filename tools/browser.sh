#!/bin/sh
# Installs what drives a browser in tests, from npm, in the version that the package-lock.json of the
# inspector's page holds, and prints where it is: NODE_PATH=$(tools/browser.sh) node test.js
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
page=$root/addons/inspector/page
out=$root/build/browser
mkdir -p "$out"
if ! cmp -s "$page/package-lock.json" "$out/package-lock.json" || [ ! -d "$out/node_modules" ]; then
    cp "$page/package.json" "$page/package-lock.json" "$out"
    (cd "$out" && npm ci --ignore-scripts --no-audit --no-fund >/dev/null) || {
        rm -rf "$out"
        exit 1
    }
fi
echo "$out/node_modules"
