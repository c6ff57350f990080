#!/bin/sh
# Four processes play the arena over UDP (ENet, 127.0.0.1). A third of the way one is killed (SIGKILL),
# and started again 3 s later. At the end the hashes that they printed of confirmed frames are compared.
#
#   tools/net_processes.sh <addons/enet/arena_process of a build> [seconds, by default 600]
#
# SETT_PLANT=<frame> changes the state of process 1 in that frame: then this has to fail, and to name
# process 1 and the first frame that was hashed since.
set -eu

program=$1
seconds=${2:-600}
work=$(mktemp -d)
port=$((10000 + $$ % 5000 * 4))
plant=${SETT_PLANT-}
unset SETT_PLANT
trap 'kill $pids 2>/dev/null || true; rm -rf "$work"' EXIT
pids=

begin() { # <player> <seconds> <name of what it says>
    if [ "$1" = 1 ] && [ -n "$plant" ]; then
        SETT_PLANT=$plant "$program" "$1" 4 $port "$2" >"$work/$3" 2>&1 &
    else
        "$program" "$1" 4 $port "$2" >"$work/$3" 2>&1 &
    fi
    pids="$pids $!"
}

for player in 0 1 2 3; do
    begin $player "$seconds" $player
done
third=$((seconds / 3))
sleep $third
victim=$(echo $pids | cut -d' ' -f3)
kill -9 "$victim"
sleep 3
begin 2 $((seconds - third - 3)) 2-again
ended=0
for pid in $pids; do
    [ "$pid" = "$victim" ] || wait "$pid" || ended=1
done 2>/dev/null
pids=

# A frame's hash is that of most processes. Names the first frame of which one has another, and the
# process.
(cd "$work" && awk '
    FNR == 1 { logs++; name[logs] = FILENAME }
    $1 == "hash" { hash[$2, logs] = $3; if ($2 > last) last = $2; printed[logs]++ }
    END {
        for (frame = 0; frame <= last; frame++) {
            delete votes
            most = there = 0
            for (k = 1; k <= logs; k++) if ((frame, k) in hash) {
                there++
                if (++votes[hash[frame, k]] > most) { most = votes[hash[frame, k]]; usual = hash[frame, k] }
            }
            if (there < 2) continue
            frames++
            compared += there
            for (k = 1; k <= logs; k++) if ((frame, k) in hash) {
                of[k]++
                if (hash[frame, k] != usual && ++differ == 1)
                    printf "net_processes: frame %d: process %s has another state than %d others\n", frame, name[k], most
            }
        }
        for (k = 1; k <= logs; k++) said = said sprintf("%s %d of %d", k == 1 ? "" : ", process ", of[k], printed[k])
        for (k = 1; k <= logs; k++) if (of[k] < '"$third"') {
            printf "net_processes: of process %s only %d hashes could be compared\n", name[k], of[k]
            differ++
        }
        printf "net_processes: %d hashes of %d confirmed frames compared, %d differ\n", compared, frames, differ
        exit differ != 0
    }' 0 1 2 2-again 3) || ended=1
for text in "player 2 is gone" "player 2 is here again"; do
    grep -q "$text" "$work/0" || { echo "net_processes: process 0 did not say: $text" && ended=1; }
done
[ $ended = 0 ] || {
    tail -n 3 "$work"/[0-9]* | grep -v '^hash'
    exit 1
}
