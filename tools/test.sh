#!/bin/sh
# The tests of the project, in stages.
#
#   tools/test.sh                 the short ones: `make test`
#   tools/test.sh --long          the others, which `make test-all` runs behind these
#   tools/test.sh <stage>...      these
#   tools/test.sh --list          their names
#
# SETT_WITHOUT="web play" in the environment leaves stages out of --long, and the run says so.
# soak is in neither: it runs the model tests (test/test_model*.c) for SETT_OPERATIONS operations.
# No stage begins after one has failed. The last line is "N passed, N failed", counted in stages; above
# it stands what was left out. Builds lie under build/ and are kept, so that the next run compiles what
# changed only; a run that writes anywhere but to build/ and out/ fails. JOBS sets how many things run
# side by side inside of a stage; stages run in pairs where flock(1) is there. What a stage says is
# printed when it ends. Of two runs in one folder the second waits for the first.
#
# What a stage needs is installed by tools/deps.sh, and missing it fails the stage; with SETT_DEPS=skip
# in the environment the stage says what it leaves out.
set -eu

cd "$(dirname "$0")/.."
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
logs=build/stages
log= # what the commands of a stage say
strict="-std=c11 -Werror $(cat cmake/strict_flags.txt)"
# Started from a Makefile this is a build of its own, not a part of that one.
unset MAKEFLAGS MFLAGS MAKELEVEL CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS 2>/dev/null || true

# Those that fail soonest come first, then the longest: so no core is idle at the end.
short="format words layers api asan headers symbols readme"
long="release clang sanitized examples faults cpp portable bench tsan amalgamation web site install packages instructions checks cookbook python ranks inspect play vectors proofs"

describe() {
    case $1 in
    format) echo "the code is laid out as .clang-format says" ;;
    words) echo "no name or phrase that the vocabulary has replaced" ;;
    layers) echo "no file includes one further up, world/ names no module above it" ;;
    api) echo "each public function says its threads and version, and no parameter it has not; the site lists all programs" ;;
    proofs) echo "what test/proofs says of all values, by Frama-C" ;;
    cookbook) echo "the programs of the cookbook, clang Debug, with sanitizers" ;;
    checks) echo "each check of this list can fail" ;;
    asan) echo "unit tests but for the slowest, clang Debug, address and undefined-behaviour sanitizers" ;;
    sanitized) echo "the slowest unit tests, with sanitizers: $slow" ;;
    tsan) echo "what threads take part in, thread sanitizer" ;;
    release) echo "unit tests, and the program in README.md, Release, the compiler of make" ;;
    clang) echo "unit tests, clang Release" ;;
    portable) echo "unit tests where addresses have 32 bits; files exchanged between machines; Windows, as far as compiling" ;;
    vectors) echo "loops become vector code where loop.h says so, gcc and clang" ;;
    instructions) echo "no path takes 10 % more instructions than it did" ;;
    headers) echo "every header alone, as C11 and as C++17, gcc and clang" ;;
    symbols) echo "exported names begin with sett_, no state outside of worlds; sett.c compiles" ;;
    amalgamation) echo "sett.h + sett.c: alone, under a C and a C++ program, under the unit tests" ;;
    install) echo "installed and used, in debug and release: find_package, add_subdirectory, FetchContent, pkg-config" ;;
    packages) echo "the Debian package and the Meson wrap, built and used; versions of all recipes" ;;
    site) echo "the pages, their programs and their links" ;;
    play) echo "make play ARGS=--demo, on a screen in memory" ;;
    inspect) echo "make inspect answers a request; its page, driven in a browser" ;;
    web) echo "make web, loaded in a browser" ;;
    readme) echo "the programs in README.md, and each block of C in the documents" ;;
    examples) echo "the examples run to their end, the tests of add-ons: gcc Release, and with sanitizers" ;;
    bench) echo "what make bench-full does, everything once and small, and the report of it" ;;
    faults) echo "the tests see every seeded fault" ;;
    cpp) echo "sett.hpp: g++ and clang++, C++17 and C++20; misuse that must not compile; instructions of loops" ;;
    python) echo "the modules for Python and LuaJIT, the programs of their pages, one game in four languages" ;;
    ranks) echo "one world over 1, 2 and 4 ranks of OpenMPI: one chain of hashes" ;;
    soak) echo "the model tests at length, Freedoom with many workers, gcc Release" ;;
    esac
}

# Unit tests that take a third of the time that all of them take with sanitizers.
slow="out_of_memory layout page group"

# ---- Building blocks -----------------------------------------------------------------------------

# Runs a command and shows what it says only if it fails.
quiet() {
    if ! "$@" >"$log" 2>&1; then
        cat "$log"
        echo "failed: $*"
        return 1
    fi
}

# Another stage may want the same folder: one at a time, until this one ends, builds elsewhere, or
# says `let_go` because from here on it only reads.
claim() { # <folder under build/>
    if command -v flock >/dev/null; then
        exec 9>"build/$1.lock"
        flock 9
    fi
}

let_go() {
    exec 9>&-
}

# The library is built for linking statically, and both ways where SETT_INSTALL=ON.
build() { # <folder under build/> <compiler> <build type> <targets> <option>...
    claim "$1"
    folder=build/$1
    compiler=$2
    type=$3
    targets=$4
    shift 4
    # The compiler goes through the environment: given as an option, a second run of cmake would
    # take it for a change and begin anew.
    quiet env CC="$compiler" cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE="$type" \
        -DSETT_WERROR=ON -DSETT_BUILD_BENCHMARKS=OFF -DSETT_INSTALL=OFF "$@"
    quiet cmake --build "$folder" --parallel "$jobs" --target $targets
}

build_asan() { # <targets>
    linker= # of 120 programs with a sanitizer's library each: lld needs two thirds of the time
    ! command -v ld.lld >/dev/null || linker=-fuse-ld=lld
    build asan clang Debug "$1" -DSETT_SANITIZE=address,undefined -DCMAKE_C_FLAGS_DEBUG=-gline-tables-only \
        -DCMAKE_EXE_LINKER_FLAGS="$linker"
}

# The folder of `make`, `make play` and so on, and the compiler that they take.
build_release() { # <option>...
    build release cc Release all -DSETT_INSTALL=ON -DSETT_BUILD_TESTS=ON -DSETT_AMALGAMATION= "$@"
}

build_clang() {
    build clang clang Release "unit_tests flagship" -DSETT_BUILD_ADDONS=OFF
}

run_tests() { # <folder under build/> <label> [expression of names that are left out]
    UBSAN_OPTIONS=print_stacktrace=1 ctest --test-dir "build/$1" --label-regex "$2" ${3:+--exclude-regex "^$3\$"} \
        --output-on-failure --no-tests=error --parallel "$jobs" >"$log" 2>&1 ||
        {
            cat "$log"
            return 1
        }
    # One line a test; ctest's own frame around them says nothing more.
    sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: /  /p' "$log"
}

# Something that a stage needs is not here.
missing() { # <what> <Debian's package>
    [ "${SETT_DEPS-}" = skip ] || {
        echo "missing: $1; install Debian's $2, or run tools/deps.sh test-all, which does"
        return 1
    }
    echo "  skipped: $1 (Debian: $2)"
}

# ---- Stages --------------------------------------------------------------------------------------

stage_format() {
    tools/check_format.sh
}

stage_words() {
    tools/check_words.sh
    tools/messages.py --check
}

stage_layers() {
    tools/check_layers.sh
}

stage_api() {
    tools/api.py --check
    quiet tools/api.py
    tools/abi.py
    quiet tools/site.py --pages
}

stage_checks() {
    quiet tools/api.py
    tools/check_checks.sh
}

stage_asan() {
    build_asan unit_tests
    let_go
    run_tests asan unit "($(echo $slow | tr ' ' '|'))"
}

stage_sanitized() {
    build_asan unit_tests
    let_go
    for test in $slow; do
        quiet env -C build/asan/test "./test_$test"
        echo "  $test"
    done
}

stage_tsan() {
    # With the checks of a debug build, and -O1: without it this takes thrice as long.
    build tsan gcc Debug thread_tests -DSETT_SANITIZE=thread -DCMAKE_C_FLAGS=-O1
    run_tests tsan threads
}

stage_release() {
    build_release
    let_go
    run_tests release unit
    tools/check_readme.sh build/release/libsett.a README.md
}

stage_clang() {
    build_clang
    run_tests clang unit
}

# What other compilers than gcc and clang compile: clang plays MSVC, without its own name or gcc's,
# over a few headers of a C library that nothing links.
compile_as_msvc() { # <file> <option>...
    for machine in x86_64 i686 aarch64; do
        for has in "" -D__STDC_NO_ATOMICS__ -DNDEBUG "-D__STDC_NO_ATOMICS__ -DNDEBUG"; do
            # Windows' own words (__declspec and the like) are extensions to -Wpedantic.
            quiet clang --target=$machine-pc-windows-msvc -U__clang__ -U__GNUC__ $has -nostdlibinc \
                -isystem test/msvc $strict -Wno-language-extension-token -fsyntax-only "$@"
        done
    done
}

stage_portable() {
    if [ "$(uname -m)" != x86_64 ]; then
        echo "  skipped: addresses of 32 bits, which only gcc for x86-64 has here"
    elif echo 'int main(void) { return 0; }' |
        gcc -m32 -include stdio.h -x c - -o build/m32_program 2>/dev/null; then
        # Some kernels run no 32-bit programs: then qemu does, which has no folders without large
        # offsets, and nothing for gdb.
        emulator=
        here=
        wide=
        build/m32_program 2>/dev/null || {
            emulator=qemu-i386
            here=gdb
            wide=-D_FILE_OFFSET_BITS=64
            echo "  run by qemu, without the test of gdb"
        }
        build m32 gcc Release unit_tests -DCMAKE_C_FLAGS="-m32 $wide" \
            -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG" -DSETT_BUILD_EXAMPLES=OFF -DSETT_BUILD_ADDONS=OFF \
            -DCMAKE_CROSSCOMPILING_EMULATOR="$emulator"
        run_tests m32 unit "$here"
    else
        missing "a C library for 32 bits" gcc-multilib
    fi
    tools/machines.sh
    tools/amalgamate.sh build/windows
    if command -v x86_64-w64-mingw32-gcc >/dev/null; then
        # Its isnan and isinf are macros that convert to float in a branch which is not taken, and its
        # windows.h reads from an array of no elements.
        quiet x86_64-w64-mingw32-gcc $strict -Wno-float-conversion -Wno-array-bounds -O2 -c build/windows/sett.c \
            -o build/windows/sett.o
        echo "  compiles for Windows"
    else
        missing "a compiler for Windows" gcc-mingw-w64-x86-64-win32
    fi
    compile_as_msvc build/windows/sett.c
    compile_as_msvc -DSETT_CONSUMER_AMALGAMATION -Ibuild/windows test/consumer/consumer.c
    echo "  compiles as in MSVC: x86-64, x86, ARM64; with and without C11's atomics"
}

stage_proofs() {
    tools/prove.sh
}

stage_vectors() {
    tools/check_vectors.sh
}

stage_instructions() {
    for compiler in gcc clang; do
        echo "  $compiler"
        CC=$compiler tools/instructions.sh || return 1
    done
}

stage_headers() {
    tools/check_headers.sh
}

stage_symbols() {
    # All sources as one: no two of them give one name to two things.
    quiet tools/amalgamate.sh build/symbols
    quiet gcc $strict -fsyntax-only build/symbols/sett.c
    build_asan sett_static
    let_go
    tools/check_symbols.sh build/asan/libsett.a
}

stage_amalgamation() {
    tools/check_parts.sh
    out=build/amalgamation
    # As README.md compiles it, with the warnings that the sources are held to; both compilers read it
    # with asserts as well.
    quiet gcc $strict -O2 -DNDEBUG -c "$out/sett.c" -o "$out/sett.o"
    for compiler in gcc clang; do
        quiet $compiler $strict -fsyntax-only "$out/sett.c"
    done
    quiet tools/check_symbols.sh "$out/sett.o"
    quiet tools/check_platform.sh "$out"
    quiet tools/dist.sh build/dist
    (umask 077 && quiet tools/dist.sh build/dist/again)
    quiet cmp build/dist/*.tar.gz build/dist/again/*.tar.gz
    for pair in "gcc g++" "clang clang++"; do
        c=${pair% *}
        cxx=${pair#* }
        program="test/consumer/consumer.c -DNDEBUG -DSETT_CONSUMER_AMALGAMATION -I$out"
        quiet $c $strict $program "$out/sett.o" -o "$out/consumer"
        "$out/consumer"
        quiet $cxx -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
            -x c++ $program -x none "$out/sett.o" -o "$out/consumer_cxx"
        "$out/consumer_cxx"
    done
    tools/check_sizes.sh "$out" "$out/sett.o"
    build_release -DSETT_AMALGAMATION="$PWD/$out/sett.o"
    run_tests release amalgamated
}

consume() { # <folder of test/consumer> <build type, or ""> <shared: ON or OFF> <option>...
    source=$1
    type=$2
    shared=$3
    folder=build/consumer/$1$2$3
    shift 3
    echo "  $source, ${type:-no build type}, shared: $shared"
    quiet cmake -S "test/consumer/$source" -B "$folder" -DCMAKE_BUILD_TYPE="$type" -DBUILD_SHARED_LIBS=$shared "$@"
    quiet cmake --build "$folder" --parallel "$jobs"
    quiet "$folder/consumer"
    quiet "$folder/consumer_cxx"
}

stage_install() {
    if command -v meson >/dev/null; then
        rm -rf build/meson
        quiet meson setup build/meson . --prefix="$PWD/build/meson/installed"
        quiet ninja -C build/meson install
    else
        missing "the build by Meson" meson
    fi
    build_release
    rm -rf build/installed build/staged build/consumer
    quiet env DESTDIR="$PWD/build/staged" make install PREFIX=/usr
    let_go
    # Moved before it is used: nothing installed may remember where it was put.
    mv build/staged/usr build/installed
    prefix=$PWD/build/installed
    tools/check_symbols.sh "$prefix"/lib*/libsett.a "$prefix"/lib*/libsett_inspector.a "$prefix"/lib*/libsett_net.a "$prefix"/lib*/libsett_zstd.a "$prefix"/lib*/libsett_debug_info.a
    tools/check_symbols.sh "$prefix"/lib*/libsett_debug.a "$prefix"/lib*/*.so

    for type in Release Debug ""; do
        consume find_package "$type" OFF -DCMAKE_PREFIX_PATH="$prefix"
        consume find_package "$type" ON -DCMAKE_PREFIX_PATH="$prefix"
    done
    consume find_core Release OFF -DCMAKE_PREFIX_PATH="$prefix"
    consume find_core Debug OFF -DCMAKE_PREFIX_PATH="$prefix"
    consume addons Release OFF -DCMAKE_PREFIX_PATH="$prefix"
    consume addons Debug ON -DCMAKE_PREFIX_PATH="$prefix"
    # These compile the library again: how it is found matters here, not how fast it is.
    consume add_subdirectory Debug ON -DSETT_ROOT="$PWD"
    consume fetch_content Release OFF -DSETT_ROOT="$PWD" "-DCMAKE_C_FLAGS_RELEASE=-O0 -DNDEBUG"

    pc=$(find "$prefix" -name sett.pc)
    PKG_CONFIG_PATH=$(dirname "$pc")
    export PKG_CONFIG_PATH
    # pkg-config quotes for a shell what the name of a folder may hold.
    eval "libraries=$(pkg-config --variable=libdir sett)"
    echo "  pkg-config, version $(pkg-config --modversion sett), shared and static"
    with_packages() { # <program> <flag> <package>...
        program=$1
        flag=$2
        shift 2
        eval "quiet cc test/consumer/$program.c $flag $(pkg-config --cflags --libs "$@")" -o build/consumer/pc
        LD_LIBRARY_PATH=$libraries quiet build/consumer/pc
    }
    with_packages consumer -DNDEBUG sett
    with_packages consumer -g sett-debug
    with_packages addons -DNDEBUG sett_inspector sett_zstd sett_abm sett_space
    eval "quiet cc test/consumer/consumer.c $(pkg-config --cflags sett)" '"$libraries/libsett_debug.a"' \
        -o build/consumer/pc
    quiet build/consumer/pc

    # Private headers stay private.
    { (cd include && find sett -type f) && (cd addons && find . -name 'sett_*.h' -exec basename '{}' ';'); } |
        sort >build/public.txt
    (cd "$prefix/include" && find . -type f | sed 's/^\.\///' | sort) | diff build/public.txt -
}

stage_packages() {
    tools/packages.sh --quick >"$log" 2>&1 || {
        cat "$log"
        return 1
    }
    sed -n 's/^packages: /  /p' "$log"
}

stage_readme() {
    build_asan sett_static
    let_go
    CC="clang -fsanitize=address,undefined" tools/check_readme.sh build/asan/libsett.a README.md
    tools/check_documents.py
}

stage_faults() {
    build_release
    let_go
    SETT_FAULTS_BUILD=build/release tools/faults.sh
}

stage_examples() {
    # Two of the four programs that play the same battle are built already.
    build_clang
    SETT_PLAYED_GCC=$PWD/build/release/freedoom/freedoom
    SETT_PLAYED_CLANG=$PWD/build/clang/freedoom/freedoom
    export SETT_PLAYED_GCC SETT_PLAYED_CLANG
    build_release
    run_tests release 'example|addon'
    build_asan all
    run_tests asan 'example|addon'
}

stage_cookbook() {
    build_asan cookbook
    for program in build/asan/examples/cookbook/*; do
        quiet env -C build "../$program"
        [ "$(wc -l <"$log")" = 1 ] || {
            echo "$program: says more than one line"
            return 1
        }
    done
    echo "  $(ls build/asan/examples/cookbook | wc -l) programs"
}

stage_bench() {
    if ! echo '#include <benchmark/benchmark.h>' | g++ -x c++ -E - >/dev/null 2>&1; then
        missing "Google Benchmark" libbenchmark-dev
        return
    fi
    build_release -DSETT_BUILD_BENCHMARKS=ON -DSETT_BENCH_PEERS=OFF
    let_go
    SETT_BENCH=quick SETT_BENCH_BUILD=build/release quiet tools/bench.sh --full
    tail -n 1 "$log"
}

# ---- Doors: as a person types them, without what has been tested before -----------------------------

stage_site() {
    quiet make site
    tail -n 1 "$log"
}

stage_play() {
    quiet tools/deps.sh screen
    build_release
    quiet xvfb-run -a make play ARGS=--demo
    tail -n 1 "$log"
}

stage_inspect() {
    quiet tools/deps.sh screen
    build_release
    make inspect ARGS="--map MAP01" >"$log" 2>&1 &
    address=
    while kill -0 $! 2>/dev/null && [ -z "$address" ]; do
        sleep 1
        address=$(grep -o 'http://[^ ]*#token=[0-9a-f]*' "$log" || true)
    done
    answer=no
    curl -sf -H "X-Sett-Token: ${address#*=}" -d '{"do": "status"}' "${address%%#*}request" >"$log.answer" &&
        curl -sf --compressed "${address%%#*}" | grep -q '<html' && answer=yes
    kill $! # it plays until then
    wait $! || true
    [ $answer = yes ] || {
        cat "$log"
        echo "make inspect: no page, or no answer, at '$address'"
        return 1
    }
    echo "  $(cut -c 1-80 "$log.answer")"
    drive_inspector
}

# The page in a browser, as make test-inspector drives it.
drive_inspector() {
    if ! command -v node >/dev/null || ! command -v "${CHROMIUM:-chromium}" >/dev/null; then
        missing "node and a browser, for the inspector's page" "nodejs npm chromium"
        return
    fi
    # Programs of its own: other stages may build these meanwhile.
    mkdir -p build/inspect/freedoom
    cp build/release/libsett.a build/inspect/
    cp build/release/freedoom/freedoom build/inspect/freedoom/
    let_go
    quiet tools/page.sh --drive build/inspect
    echo "  $(grep -c '^ok' "$log") checks of the page in a browser"
}

stage_web() {
    build_release
    quiet make test-web SCRIPTS=2
    tail -n 1 "$log"
}

stage_cpp() {
    build_asan sett_static
    build_release
    let_go
    tools/test_cpp.sh build/asan build/release
}

stage_python() {
    build_release
    let_go
    quiet tools/python.sh build/release/libsett.so --test
    tail -n 3 "$log" | sed 's/^/  /'
    tools/languages.sh build/release
}

stage_ranks() {
    if command -v mpicc.openmpi >/dev/null && command -v mpirun.openmpi >/dev/null; then
        tools/ranks.sh --short
    else
        missing OpenMPI "libopenmpi-dev, openmpi-bin"
    fi
}

# Run by hand and not by ctest: one follows a soak, and no time is too long for it.
stage_soak() {
    build_release
    let_go
    tools/soak.sh build/release "${SETT_OPERATIONS-}"
    if [ -x build/release/freedoom/freedoom ]; then
        freedoom/test/same_workers.sh build/release/freedoom/freedoom
    fi
}

# ---- The run -------------------------------------------------------------------------------------

if [ "${1-}" = --list ]; then
    for stage in $short $long; do
        printf '%-14s %s\n' "$stage" "$(describe "$stage")"
    done
    exit 0
fi
ran=${*:-$short}
not_run=
case $ran in
"$short") not_run=$long ;;
--long)
    ran=
    for stage in $long; do
        case " ${SETT_WITHOUT-} " in
        *" $stage "*) not_run="$not_run $stage" ;;
        *) ran="$ran $stage" ;;
        esac
    done
    set -- $ran
    ;;
esac
for stage in "$@"; do
    [ -n "$(describe "$stage")" ] || {
        echo "tools/test.sh: there is no stage '$stage'; --list names them" >&2
        exit 2
    }
done

mkdir -p $logs

# A subshell, and not as a condition: only so does `set -e` hold inside.
run_stage() { # <stage>
    set +e
    (
        set -e
        log=$logs/$1.build
        "stage_$1"
    )
    status=$?
    set -e
}

# Started by ourselves, beside others: 255 tells xargs to begin no more of them.
if [ "${SETT_STAGE-}" = "${1-}" ] && [ $# = 1 ]; then
    unset SETT_STAGE
    begin=$(date +%s)
    run_stage "$1" >"$logs/$1.said" 2>&1
    {
        flock 8
        printf '== %s: %s\n' "$1" "$(describe "$1")"
        cat "$logs/$1.said"
        if [ "$status" = 0 ]; then
            echo "   $(($(date +%s) - begin)) s"
            : >"$logs/$1.passed"
        else
            echo "== $1 FAILED; again with: tools/test.sh $1"
            : >"$logs/$1.failed"
        fi
    } 8>$logs/printing.lock
    [ "$status" = 0 ] || exit 255
    exit 0
fi

if command -v flock >/dev/null; then
    exec 7>build/run.lock
    flock -n 7 || {
        echo "another run is at work in this folder; waiting for its end"
        flock 7
    }
fi
rm -f $logs/*

# Files that git does not know: a run adds none. (.ci/run sees to those that it knows.)
strangers() {
    git status --porcelain --ignored -- . ':!build' ':!out' 2>/dev/null | sed -n 's/^[?!][?!] //p'
}
strangers >$logs/strangers

# What was left out, and the last line.
end() { # <passed> <failed>
    strangers | diff $logs/strangers - | sed -n 's/^> /  /p' >$logs/written
    [ ! -s $logs/written ] || {
        echo "written outside of build/ and out/:"
        cat $logs/written
        set -- "$1" $(($2 + 1))
    }
    cat $logs/*.said 2>/dev/null | grep -i '^  .*skipped' || true
    [ -z "$not_run" ] || echo "not run: $not_run (make test-all)"
    echo "$1 passed, $2 failed"
    [ "$2" = 0 ]
}

if [ $# = 1 ] || [ "$jobs" -lt 2 ] || ! command -v flock >/dev/null; then
    # One after the other, as it goes.
    passed=0
    for stage in $ran; do
        printf '== %s: %s\n' "$stage" "$(describe "$stage")"
        begin=$(date +%s)
        run_stage "$stage"
        if [ "$status" != 0 ]; then
            echo "== $stage FAILED; again with: tools/test.sh $stage"
            end "$passed" 1
            exit 1
        fi
        echo "   $(($(date +%s) - begin)) s"
        passed=$((passed + 1))
    done
    end "$passed" 0
    exit 0
fi

printf '%s\n' $ran |
    xargs -P 2 -I '{}' env 'SETT_STAGE={}' "$0" '{}' 2>$logs/xargs || true
passed=$(find $logs -name '*.passed' | wc -l)
end "$passed" "$(find $logs -name '*.failed' | wc -l)"
[ "$passed" = "$(printf '%s\n' $ran | sort -u | wc -l)" ]
