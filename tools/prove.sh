#!/bin/sh
# Proves, for all values within the bounds that test/proofs/*.proof name, that what small parts of the
# library compute stays within bounds: with Frama-C's Eva (Debian: frama-c-base). Each proof has
# faults in its head: with one of them applied it must not succeed.
#
#   tools/prove.sh [proof...]      all, or these, by name
set -eu

cd "$(dirname "$0")/.."
if ! command -v frama-c >/dev/null; then
    echo "  skipped: proofs (Debian: frama-c-base)"
    [ "${SETT_DEPS-}" = skip ] || exit 1
    exit 0
fi
out=build/proofs
rm -rf $out
mkdir -p $out

# prove <folder of the sources> <proof>: prints what Eva says at the end; fails unless all is proven.
prove() {
    # The reader's functions alone: the rest of that file has no part in it.
    awk '/^const unsigned char\* setti_delta_read\(/ { on = 1 } /^bool setti_delta_take\(/ { on = 0 } on' \
        "$1/src/state/delta_read.c" >"$1/delta_functions.inc"
    cp "test/proofs/$2.proof" "$1/$2.c"
    timeout 100 frama-c -machdep gcc_x86_64 -c11 -eva -eva-precision 2 -eva-slevel 2000 -eva-split-return auto \
        -eva-msg-key=-initial-state,-final-states \
        -cpp-extra-args="-I$1/src -I$1/include -I$1 -Itest/proofs -U__GNUC__ -D__STDC_NO_ATOMICS__ -DNDEBUG" \
        "$1/$2.c" >"$1/said" 2>&1 || return 1
    grep -q '^  0 alarms generated' "$1/said" && ! grep -qE 'assertion got status|no path to return|NON TERMINATING' "$1/said"
}

source_tree() { # <folder>
    mkdir -p "$1"
    cp -R src include "$1"
}

count=0
faults=0
for proof in ${*:-$(find test/proofs -name '*.proof' -exec basename '{}' .proof ';' | sort)}; do
    source_tree $out/as_is
    begin=$(date +%s)
    prove $out/as_is "$proof" || {
        tail -n 40 $out/as_is/said
        echo "prove.sh: $proof is not proven"
        exit 1
    }
    echo "  $proof: $(sed -n 's/^ \* Bounds: //p' "test/proofs/$proof.proof") $(($(date +%s) - begin)) s"
    count=$((count + 1))
    sed -n 's/^ \* fault: //p' "test/proofs/$proof.proof" >$out/faults
    while read -r file change; do
        rm -rf $out/fault
        source_tree $out/fault
        sed -i "$change" "$out/fault/$file"
        ! diff -q "$file" "$out/fault/$file" >/dev/null || {
            echo "prove.sh: $proof: this fault changes nothing: $change"
            exit 1
        }
        ! prove $out/fault "$proof" || {
            echo "prove.sh: $proof is proven with a fault: $change"
            exit 1
        }
        faults=$((faults + 1))
    done <$out/faults
done
echo "  $count proofs, $faults faults found"
