#!/bin/sh
# Do the tests see what is broken? Plants each fault of test/faults/ (one changed line each) and
# wants the tests that it names, in a line "Caught-by: test_model", to see it.
#
#   tools/faults.sh                   all of them; the last line is "N of N"
#   tools/faults.sh <name>...         those whose file names contain one of the words
#   tools/faults.sh --who <name>...   runs every test on each, and tells which see it
#
# Where several tests are named, they run in that order up to the first that fails. It is a failure
# of this script's as well if a fault no longer applies, does not compile, or names no test, if a
# test fails where no fault is, and if a test does not end: a hang says nothing of what is broken.
# The library and the tests are built once, as a release, in build/faults, or
# SETT_FAULTS_BUILD=<folder> takes those that were built and have passed there; a fault compiles only
# what it changes. Asserts are off: the tests see each fault without their help.
# A fault with a line "Build: debug" is about what only debug builds report, and is tried in one
# (build/faults_debug). The test `installed` is test/consumer/installed.sh: a copy of the tree with
# the fault is installed and used.
# JOBS sets how many are tried side by side. Needs patch(1).
set -eu

cd "$(dirname "$0")/.."
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
if [ "${SETT_FAULTS_DEBUG-}" = yes ]; then
    flags="-std=c11 -O1"
    work=build/faults_debug
    built=$work
else
    flags="-std=c11 -O1 -DNDEBUG"
    work=build/faults
    built=${SETT_FAULTS_BUILD:-$work}
fi
# A test that takes more of processor time hangs, and so does one that waits for ten times that.
seconds=${SETT_FAULTS_SECONDS:-120}
# Enough to meet every fault, and the same in every run.
export SETT_OPERATIONS=30000 SETT_SEED=1
unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS CPPFLAGS LDFLAGS 2>/dev/null || true

catchers() { # <patch>
    sed -n '/^---/q; s/^Caught-by: *//p' "$1"
}

is_debug() { # <patch>
    if sed -n '/^---/q; p' "$1" | grep -q '^Build: debug$'; then echo yes; else echo no; fi
}

# Tests that start threads take their time, and see nothing of these faults that others do not. What
# is compared with another library is not linked with that library here.
all_tests() {
    grep -LE '"sett/threads.h"|<jansson.h>' test/test_*.c | sed 's/.*\///; s/\.c$//'
}

build_sound() { # <test>...
    {
        CC=gcc cmake -S . -B $work -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="${flags#* }" \
            -DSETT_WERROR=ON -DSETT_BUILD_BENCHMARKS=OFF -DSETT_BUILD_EXAMPLES=OFF &&
            cmake --build $work --parallel "$jobs" --target sett_static "$@"
    } >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        echo "faults: the tree does not build, or a fault names a test that there is not" >&2
        exit 1
    }
}

# What depends on a changed file: that file, or whatever includes it.
dependants() { # <file>
    case $1 in
    *.c) echo "$1" ;;
    *.h) (cd "$built/CMakeFiles/sett_static.dir" && grep -lr --include='*.d' "/$1\\( \\|\$\\)" src) |
        sed 's/\.o\.d$//' ;;
    esac
}

# With which an add-on is compiled: its folder, and MPI where it is that of ranks.
addon_flags() { # <source>
    case $1 in
    addons/mpi/*) echo "-Iaddons/mpi -D_POSIX_C_SOURCE=200809L $(mpicc.openmpi -showme:compile)" ;;
    addons/*) echo "-I$(dirname "$1")" ;;
    esac
}

# Compiles what the patch concerns. The objects are named before the library, so that a linker finds
# all it wants of these sources in them and leaves those of the library where they are.
plant() { # <patch> <folder>; what is wrong goes to $2/not
    mkdir -p "$2/src"
    changed=$(sed -n 's/^+++ b\///p' "$1")
    for file in $changed; do
        mkdir -p "$2/$(dirname "$file")"
        cp "$file" "$2/$file"
    done
    patch -d "$2" -p1 -s -f <"$1" >"$2/log" 2>&1 || {
        echo "does not apply any more" >"$2/not"
        return 1
    }
    for source in $(for file in $changed; do dependants "$file"; done | sort -u); do
        from=$source
        [ ! -e "$2/$source" ] || from=$2/$source
        gcc $flags -Iinclude -I"$2/src" -Isrc $(addon_flags "$source") -c "$from" -o "$2/$(basename "$source" .c).o" \
            >>"$2/log" 2>&1 || {
            echo "does not compile" >"$2/not"
            return 1
        }
    done
}

# Copies what git knows of the tree, with the patch.
plant_tree() { # <patch> <folder>; what is wrong goes to $2/not
    mkdir -p "$2/tree"
    git ls-files -z | tar -c --null -T - | tar -x -C "$2/tree"
    patch -d "$2/tree" -p1 -s -f <"$1" >"$2/log" 2>&1 || {
        echo "does not apply any more" >"$2/not"
        return 1
    }
}

# The libraries that a test was linked with, and how: of add-ons, of this one, of the system.
linked() { # <folder> <test>
    for word in $(cat "$1/CMakeFiles/$2.dir/link.txt"); do
        case $word in
        -Wl,--wrap=* | -l* | /*.so | /*.a) echo "$word" ;;
        *.a) echo "$1/$word" ;;
        esac
    done
}

# Sets `outcome` to passes, fails or hangs.
run() { # <test> <folder with the objects of a fault, or none>
    if [ "$1" = installed ]; then
        outcome=fails
        tree=${2:+$2/tree}
        into=${2:-$work/installed}
        rm -rf "$into/build" "$into/installed"
        mkdir -p "$into"
        ! test/consumer/installed.sh "${tree:-.}" "$into" >"$into/installed.said" 2>&1 || outcome=passes
        return
    fi
    folder=$built/test
    [ -e "$folder/$1" ] || folder=$(dirname "$(ls "$built"/addons/*/"$1")")
    program=$folder/$1
    if [ -n "$2" ]; then
        program=$2/$1
        gcc $(find "$folder/CMakeFiles/$1.dir" -name '*.o') "$2"/*.o $(linked "$folder" "$1") \
            -pthread -lm -o "$program" || exit 1
    fi
    # A failing test may crash in all manners; what it says of a fault is of no interest.
    ulimit -c 0 2>/dev/null || true
    ended=0
    (
        ulimit -S -t "$seconds"
        exec env -C "$(dirname "$program")" timeout $((10 * seconds)) "./$1" >"$program.said" 2>&1
    ) || ended=$?
    case $ended in
    0) outcome=passes ;;
    124 | 152) outcome=hangs ;; # timeout(1) ended it, or SIGXCPU
    *) outcome=fails ;;
    esac
}

# One fault or one test. Its line of the table goes to a file, which is not there if it went wrong.
try() { # <first|all> <patch or test>
    name=$(basename "$2" .patch)
    result=$work/results/$name
    if [ "$name" = "$2" ]; then
        run "$name" ""
        if [ $outcome = passes ]; then
            : >"$result"
        else
            cat $(find "$work" -name "$name.said") >&2
            echo "faults: $name $outcome without any fault" >&2
        fi
        return
    fi
    tests=$(catchers "$2")
    [ "$1" = first ] || tests=$(all_tests)
    seen=
    hung=
    plant=plant
    [ "$tests" != installed ] || plant=plant_tree
    if $plant "$2" "$work/$name"; then
        for test in $tests; do
            run "$test" "$work/$name"
            case $outcome in
            fails) seen="$seen $test" ;;
            hangs) hung="$hung $test" ;;
            esac
            [ "$1" = all ] || [ $outcome = passes ] || break
        done
        if [ -n "$hung" ] && [ -z "$seen" ]; then
            echo "HANGS IN$hung" >"$work/$name/not"
        elif [ -z "$seen" ]; then
            echo "NOT SEEN BY ${tests:-ANY TEST: it names none}" >"$work/$name/not"
        fi
    fi
    if [ -n "$seen" ]; then
        printf '  %-38s%s\n' "$name" "$seen" | tee "$result"
    else
        printf '  %-38s %s\n' "$name" "$(cat "$work/$name/not")"
    fi
    rm -rf "${work:?}/$name"
}

if [ "${1-}" = --try ]; then # started by ourselves, side by side
    try "$2" "$3"
    exit 0
fi

mode=first
if [ "${1-}" = --who ]; then
    mode=all
    shift
fi
chosen=
apart= # those that a debug build is for
for fault in test/faults/*.patch; do
    wanted=no
    [ $# != 0 ] || wanted=yes
    for word in "$@"; do
        case $fault in
        *"$word"*) wanted=yes ;;
        esac
    done
    if [ $wanted = no ]; then
        continue
    elif grep -q '^+++ b/addons/mpi/' "$fault" && ! command -v mpicc.openmpi >/dev/null; then
        echo "  left out, OpenMPI is missing: $(basename "$fault" .patch)"
    elif [ "$(is_debug "$fault")" = "${SETT_FAULTS_DEBUG:-no}" ]; then
        chosen="$chosen $fault"
    else
        apart="$apart $fault"
    fi
done
[ -n "$chosen$apart" ] || {
    echo "faults: there is no such fault" >&2
    exit 2
}
status=0
if [ -n "$apart" ] && [ "${SETT_FAULTS_DEBUG-}" != yes ]; then
    who=
    [ $mode = first ] || who=--who
    SETT_FAULTS_DEBUG=yes "$0" $who $apart || status=1
fi
[ -n "$chosen" ] || exit $status

tests=$(for fault in $chosen; do catchers "$fault"; done | tr ' ' '\n' | sort -u)
[ $mode = first ] || tests=$(all_tests)
mkdir -p $work
rm -rf $work/results $work/[0-9]*
mkdir -p $work/results
sound=$(echo "$tests" | grep -x installed || true)
if [ "$built" = $work ]; then
    build_sound $(echo "$tests" | grep -vx installed)
    sound=$tests
fi

# The tests as they are take longest: they go first.
printf '%s\n' $sound $chosen | xargs -P "$jobs" -n 1 "$0" --try $mode
wanted=$(printf '%s\n' $sound $chosen | sort -u | wc -l)
count=$(printf '%s\n' $chosen | sort -u | wc -l)
caught=$(find $work/results -type f -size +0 | wc -l)
echo "$caught of $count"
[ "$(find $work/results -type f | wc -l)" = "$wanted" ] || status=1
exit $status
