#!/bin/sh
# Reads what the game sounds like: sound.sh <freedoom_play>
#
# SDL's driver "disk" writes the samples of a demonstration to a file: 15 seconds, of which the
# demonstration rewinds 1.5 from the 9th on. The file has the right length, is not silent while the
# game plays, not while it runs backwards, and is not noise at full volume.
set -eu
file=sound.raw
rm -f "$file"
SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=disk SDL_DISKAUDIOFILE=$file SDL_DISKAUDIODELAY=1 \
    "$1" --only --demo 900 >sound.txt || [ -s sound.txt ] # it may say that it did not kill anybody
od -An -v -w4 -td2 "$file" | awk '
    { left = $1 < 0 ? -$1 : $1; right = $2 < 0 ? -$2 : $2; loud = left > right ? left : right }
    { n++; second = int(n / 11025); if (loud > most) most = loud; if (loud > 300) heard[second]++ }
    loud >= 32767 { clipped++ }
    $1 != $2 { sides++ }
    END {
        for (k = 0; k < 15; k++) { if (heard[k] > 100) seconds++ }
        back = heard[8] + heard[9]
        printf "%.2f s, loudest %d, heard in %d seconds, %d samples while it runs backwards, %d clipped\n",
            n / 11025, most, seconds, back, clipped
        exit !(n >= 15 * 11025 - 2 && n < 15.6 * 11025 && most > 4000 && seconds >= 8 && back > 500 && sides > 1000 && clipped < n / 1000)
    }'
rm -f "$file" sound.txt
