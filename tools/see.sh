#!/bin/sh
# Makes what the site's page "See it" runs, in build/see: the game (game/, as tools/web.sh makes it), and the
# inspector with a recording in it (inspector.html), which needs no program.
#
#   tools/see.sh
#
# Where a tool or the levels are missing, the part is left out with a message: the page shows pictures then.
set -u
cd "$(dirname "$0")/.." || exit 1
to=build/see
game=build/release/freedoom/freedoom
rm -rf $to
mkdir -p $to

if tools/web.sh; then
    cp -r build/web $to/game
else
    echo "see: the game cannot be built here (make web says why): the page has pictures of it" >&2
fi

# The lines of the map, as the program gives them to the inspector.
scene() {
    $game --inspect --map MAP01 --ticks 100000 >$to/address &
    address=
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 1
        address=$(grep -o 'http://[^ ]*#token=[0-9a-f]*' $to/address) && break
    done
    curl -sf -H "X-Sett-Token: ${address#*=}" -d '{"do": "scene", "number": 0}' "${address%%#*}request" |
        sed 's/^{"ok":true,"scene"://; s/}$//'
    kill $!
    wait $! 2>/dev/null
}

cmake --build build/release --parallel "${JOBS:-2}" --target freedoom &&
    tools/page.sh --unpack &&
    $game --map MAP01 --ticks 1050 --png none --no-rewind --record $to/freedoom.rec &&
    {
        cat build/page/inspector.html
        printf '<script id="scene" type="application/json">%s</script>\n' "$(scene)"
        printf '<script id="recording" type="application/octet-stream;base64" data-name="30 seconds of Freedoom">'
        gzip -9nc $to/freedoom.rec | base64 | tr -d '\n'
        printf '</script>\n'
    } >$to/inspector.new && mv $to/inspector.new $to/inspector.html ||
    echo "see: the recording cannot be made here: the page has pictures of the inspector" >&2
rm -f $to/freedoom.rec $to/address $to/inspector.new
exit 0
