#!/bin/sh
# Two programs play one game over UDP on this machine; the second one is killed, and comes again.
# Each compares its states with the other's, and fails if they differ.
#
#   freedoom/test/together.sh <freedoom_play> [port]
set -eu

play=$1
port=${2:-$((20000 + $$ % 20000))}
SDL_VIDEODRIVER=dummy
export SDL_VIDEODRIVER
folder=$(mktemp -d)
trap 'kill $host 2>/dev/null || true; rm -rf "$folder"' EXIT

"$play" --serve --port "$port" --demo 840 >"$folder/host" 2>&1 &
host=$!
timeout -s KILL 3 "$play" --join "127.0.0.1:$port" --demo 840 >"$folder/first" 2>&1 || true
"$play" --join "127.0.0.1:$port" --demo 600 >"$folder/second" 2>&1 || {
    cat "$folder/second"
    exit 1
}
wait "$host" || {
    cat "$folder/host"
    exit 1
}
grep "^network" "$folder/host" "$folder/second" | sed 's/.*:network */  /'
[ "$(grep -c "^network" "$folder/host" "$folder/second" | grep -c ':1$')" = 2 ]
grep -q "^together *840 frames" "$folder/host"
! grep -q "ping 0 ms" "$folder/second" # it came in
