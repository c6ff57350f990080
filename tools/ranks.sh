#!/bin/sh
# One world over many ranks (addons/mpi): the same results for any number of them.
#
#   tools/ranks.sh                 `make test-mpi`: 1, 2, 3, 4 and 8 ranks, 1,000 ticks, both MPI
#   tools/ranks.sh --short         1, 2 and 4 ranks, 100 ticks, OpenMPI: a stage of tools/test.sh
#   tools/ranks.sh --kill <n>      kills a rank at n random moments (20), also while it saves
#   tools/ranks.sh --large         10 million agents, a few ticks, on two ranks
#
# Sizes can be set: TICKS, RANKS="1 2 3", MPI="openmpi mpich". The examples sir and flocking are what
# runs, in build/mpi-<which>, and addons/mpi/test/test_ranks_family: trees and links that cross borders.
set -eu

cd "$(dirname "$0")/.."
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
# Many ranks on few cores: they yield, and OpenMPI starts them, for root too.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_hwloc_base_binding_policy=none
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail() {
    echo "ranks: $*"
    status=1
}

build() { # <openmpi or mpich>
    folder=build/mpi-$1
    cmake -S . -B "$folder" -DSETT_MPI="$1" -DCMAKE_BUILD_TYPE=Release -DSETT_BUILD_TESTS=ON \
        -DSETT_BUILD_BENCHMARKS=OFF -DSETT_INSTALL=OFF -DSETT_WERROR=ON >"$work/log" 2>&1 &&
        cmake --build "$folder" --parallel "$jobs" --target ranks_sir ranks_flocking test_ranks_family \
            >>"$work/log" 2>&1 || {
        tail -20 "$work/log"
        exit 1
    }
}

run() { # <openmpi or mpich> <ranks> <program> <argument>...
    case $3 in
    family) file=build/mpi-$1/addons/mpi/test_ranks_family ;;
    *) file=build/mpi-$1/examples/ranks/$3 ;;
    esac
    launch="mpirun.$1 -n $2 $file"
    shift 3
    timeout "${LIMIT:-1200}" $launch "$@" 2>&1
}

# Runs of one program: all with the chain that one rank has, which compares each hash with that of its
# one world.
compare() { # <program> <ticks> <list of ranks> <list of balances> <list of MPI> <argument>...
    program=$1
    ticks=$2
    list=$3
    balances=$4
    libraries=$5
    shift 5
    chain=
    for which in $libraries; do
        for ranks in $list; do
            for balance in $balances; do
                if ! run "$which" "$ranks" "$program" --ticks "$ticks" --balance "$balance" "$@" \
                    >"$work/out"; then
                    tail -5 "$work/out"
                    fail "$program on $ranks ranks of $which ended"
                    return
                fi
                line=$(grep ' chain ' "$work/out")
                [ -n "$chain" ] || chain=$line
                [ "$line" = "$chain" ] || fail "$program on $ranks ranks of $which: $line, not $chain"
                sed -e "s/^$program:/$which, balanced every $balance:/" -e '/ chain /d' "$work/out"
            done
        done
    done
    echo "$chain"
}

# At least so many of what a line of the last run says.
expect() { # <text before the number> <least>
    number=$(sed -n "s/.*$1 \([0-9]*\).*/\1/p" "$work/out" | head -1)
    [ "${number:-0}" -ge "$2" ] || fail "only ${number:-0} for \"$1\", not $2"
}

kills() { # <how many> <openmpi or mpich>
    which=$2
    ticks=${TICKS:-600}
    model="--width 24 --ticks $ticks"
    whole=$(run "$which" 3 sir $model | sed -n 's/.*hash //p')
    seconds=$(date +%s%N)
    run "$which" 3 sir $model --save "$work/first" --every 5 >/dev/null
    milliseconds=$((($(date +%s%N) - seconds) / 1000000))
    hung=0
    halves=0
    early=0 # runs in a row that ended before the kill
    kill=1
    while [ "$kill" -le "$1" ]; do
        rm -f "$work"/k*
        # Every other run does nearly nothing but save.
        every=$((kill % 2 == 0 ? 1 : 5))
        run "$which" 3 sir $model --save "$work/k" --every "$every" >"$work/out" &
        job=$!
        random=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
        wait_ms=$((500 + random % (milliseconds > 800 ? milliseconds - 400 : 400)))
        sleep "$((wait_ms / 1000)).$(printf %03d $((wait_ms % 1000)))"
        victim=$(pgrep -f "sir $model --save $work/k " | while read -r pid; do
            case $(readlink "/proc/$pid/exe" 2>/dev/null) in
            */examples/ranks/sir) echo "$pid" ;;
            esac
        done | shuf -n 1)
        # The others are killed when files are being written, as far as a shell can see that.
        tries=0
        while [ $((kill % 2)) = 0 ] && [ "$tries" -lt 300 ] && ! ls "$work"/k*.new >/dev/null 2>&1; do
            tries=$((tries + 1))
        done
        [ -z "$victim" ] || kill -9 "$victim" 2>/dev/null || true
        began=$(date +%s)
        wait "$job" && ended=0 || ended=$?
        [ $(($(date +%s) - began)) -lt 60 ] || hung=$((hung + 1))
        [ "$ended" -ne 124 ] || hung=$((hung + 1))
        if [ "$ended" -eq 0 ]; then # by chance now and then; always if the run is too short
            early=$((early + 1))
            [ "$early" -lt 10 ] || {
                fail "the run of $ticks ticks ended before the kill: raise TICKS"
                return
            }
            continue
        fi
        early=0
        saving=
        for left in "$work"/k*.new; do
            [ ! -e "$left" ] || saving=", while it saved"
        done
        [ -z "$saving" ] || halves=$((halves + 1))
        if [ -f "$work/k" ]; then
            tick=$(sed -n 's/^tick \([0-9]*\).*/\1/p' "$work/k")
            again=$(run "$which" 2 sir $model --load "$work/k" | sed -n 's/.*hash //p')
            [ "$again" = "$whole" ] || fail "kill $kill: from tick $tick on 2 ranks: ${again:-nothing}"
            echo "kill $kill after $wait_ms ms$saving: status $ended, went on from tick $tick on 2 ranks: $again"
        else
            echo "kill $kill after $wait_ms ms: status $ended, before the first checkpoint"
        fi
        kill=$((kill + 1))
    done
    echo "$1 kills of a rank of 3, $which: $halves while files were written"
    [ "$hung" = 0 ] || fail "$hung runs did not end"
}

case ${1-} in
--short)
    build openmpi
    compare sir "${TICKS:-100}" "1 2 4" "0 10" openmpi --width 24
    compare flocking "${TICKS:-100}" "1 2 4" 10 openmpi --width 16
    compare family "${TICKS:-100}" "1 2 4" "0 10" openmpi
    ;;
--kill)
    for which in ${MPI:-openmpi mpich}; do
        build "$which"
        kills "${2:-20}" "$which"
    done
    ;;
--large)
    build openmpi
    for ranks in ${RANKS:-2}; do
        run openmpi "$ranks" sir --ticks "${TICKS:-3}" --width 1120
        run openmpi "$ranks" flocking --ticks "${TICKS:-3}" --width 1120
    done
    ;;
'')
    for which in ${MPI:-openmpi mpich}; do
        build "$which"
    done
    numbers=${RANKS:-1 2 3 4 8}
    length=${TICKS:-1000}
    compare sir "$length" "$numbers" "0 50" "${MPI:-openmpi mpich}" --width 24
    expect "handed over" 1000
    expect "another owner" 100
    compare flocking "$length" "$numbers" "0 50" "${MPI:-openmpi mpich}" --width 16
    expect "handed over" 1000
    compare flocking "$length" "2 4" 50 openmpi --width 16 --overlap 1
    compare family "$length" "$numbers" "0 50" "${MPI:-openmpi mpich}"
    ;;
*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
    exit 2
    ;;
esac
exit "$status"
