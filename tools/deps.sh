#!/bin/sh
# Sees to it that the tools and packages for a purpose are there.
#
#   tools/deps.sh build|run|play|inspect|page|test-inspector|web|test-web|test|test-all|screen|coverage|bench|bench-net|fuzz|format|packages|site|test-site|python|test-mpi
#
# It looks for the things themselves (a command, a header, a file), not for packages, so a
# compiler built by hand is as good as one from a package. Where something is missing, it installs
# the Debian package if it may (root, or sudo without a password), and otherwise says what to type.
# Says nothing when nothing is missing. SETT_DEPS=skip turns it off.
set -u

missing= # Debian packages of what was not found

want() {
    case " $missing " in
    *" $1 "*) ;;
    *) missing="$missing $1" ;;
    esac
}

need_command() { # <command> <package>
    command -v "$1" >/dev/null 2>&1 || want "$2"
}

need_header() { # <header> <package>
    printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | cc -x c -E - >/dev/null 2>&1 ||
        want "$2"
}

need_file() { # <file> <package>
    [ -e "$1" ] || want "$2"
}

# A module that a command written in Python imports. The python3 of the path may be another one.
need_module() { # <command> <module> <package>
    python=$(sed -n '1s/^#! *//p' "$(command -v "$1" || echo /dev/null)")
    $python -c "import $2" 2>/dev/null || want "$3"
}

for_build() {
    need_command cc gcc
    need_command make make
    need_command cmake cmake
    need_header stdio.h libc6-dev
}

# The example reads the levels of Freedoom and writes pictures.
for_run() {
    for_build
    need_header png.h libpng-dev
    need_file /usr/share/games/doom/freedoom1.wad freedoom
    need_file /usr/share/games/doom/freedoom2.wad freedoom
}

# The window. Tests play without one, and leave that out where there is no SDL2.
for_play() {
    for_run
    need_header SDL2/SDL.h libsdl2-dev
    need_header enet/enet.h libenet-dev
}

# A compiler for WebAssembly, and the C library for it.
for_wasm() {
    for_build
    need_command clang clang
    need_command wasm-ld lld
    need_file /usr/lib/wasm32-wasi/libc.a wasi-libc
    if command -v clang >/dev/null 2>&1; then
        version=$(clang -dumpversion)
        need_file "$(clang -print-resource-dir)/lib/wasi/libclang_rt.builtins-wasm32.a" \
            "libclang-rt-${version%%.*}-dev-wasm32"
    fi
}

# Freedoom as a page, and a browser to look at it.
for_web() {
    for_wasm
    for_run
}

for_test_web() {
    for_web
    for_play
    need_header civetweb.h libcivetweb-dev
    need_command chromium chromium
    need_command node nodejs
    need_command npm npm
}

# The inspector's page. Its packages of npm are in addons/inspector/page/package-lock.json.
for_page() {
    for_wasm
    need_command node nodejs
    need_command npm npm
}

for_test_inspector() {
    for_page
    for_inspect
    need_command chromium chromium
}

# The inspector. Tests leave it out where civetweb or zstd is missing.
for_inspect() {
    for_run
    need_header civetweb.h libcivetweb-dev
    need_header zstd.h libzstd-dev
}

for_test() {
    for_build
    for_format
    need_command gcc gcc
    need_command g++ g++
    need_command clang clang
    if command -v clang >/dev/null 2>&1; then
        version=$(clang -dumpversion)
        need_file "$(clang -print-file-name=libclang_rt.asan-$(uname -m).a)" "libclang-rt-${version%%.*}-dev"
    else
        want libclang-rt-dev
    fi
    need_command readelf binutils
    need_command python3 python3
}

# Both MPI: sett::mpi is tested with each.
for_test_mpi() {
    for_build
    need_command mpicc.openmpi libopenmpi-dev
    need_command mpirun.openmpi openmpi-bin
    need_command mpicc.mpich libmpich-dev
    need_command mpirun.mpich mpich
}

# To open windows without a screen, and pages without a browser.
for_screen() {
    need_command xvfb-run xvfb
    need_command xauth xauth
    need_command curl curl
}

for_coverage() {
    for_build
    need_command gcc gcc
    need_command python3 python3
}

for_test_all() {
    for_test
    for_run
    need_header zstd.h libzstd-dev
    need_header elfutils/libdwfl.h libdw-dev
    need_header enet/enet.h libenet-dev
    need_header civetweb.h libcivetweb-dev
    need_command patch patch
    need_command pkg-config pkg-config
    need_command valgrind valgrind
    need_header valgrind/callgrind.h valgrind
    need_header jansson.h libjansson-dev
    need_command gdb gdb
    for_bench
    if [ "$(uname -m)" = x86_64 ]; then
        need_file /usr/include/x86_64-linux-gnu/gnu/stubs-32.h gcc-multilib
    fi
    need_command x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64-win32
    for_machines
    for_play
    for_inspect
    for_test_web
    for_site
    for_screen
    for_python
    for_test_mpi
    for_packages
}

# What builds Debian's packages, and Meson.
for_packages() {
    for_build
    need_command dpkg-buildpackage dpkg-dev
    need_command dh debhelper
    need_command pkg-config pkg-config
    need_command meson meson
    need_command ninja ninja-build
}

# Of the python3 of the path, which need not be Debian's, or of Debian's.
for_python() {
    for_build
    need_command clang clang
    need_command c++ g++
    need_command luajit luajit
    need_command python3 python3
    python3 -c 'import cffi, numpy, setuptools, wheel' 2>/dev/null && return
    for module in cffi numpy setuptools wheel; do
        /usr/bin/python3 -c "import $module" 2>/dev/null || want "python3-$module"
    done
}

# A big-endian machine (tools/machines.sh). A cross compiler of gcc would remove gcc-multilib.
for_machines() {
    need_command s390x-linux-gnu-ld binutils-s390x-linux-gnu
    need_file /usr/lib/gcc-cross/s390x-linux-gnu libgcc-12-dev-s390x-cross
    need_file /usr/s390x-linux-gnu/include/stdio.h libc6-dev-s390x-cross
    need_command qemu-s390x qemu-user
    need_command wine "wine wine64"
    need_command frama-c frama-c-base
}

for_bench_net() {
    for_build
    need_header ode/ode.h libode-dev
}

for_bench() {
    for_build
    need_command g++ g++
    need_header benchmark/benchmark.h libbenchmark-dev
    need_command python3 python3
}

# libFuzzer and the sanitizers of clang come in a package of clang's own version.
for_fuzz() {
    for_build
    need_header civetweb.h libcivetweb-dev
    need_header zstd.h libzstd-dev
    need_command clang clang
    if command -v clang >/dev/null 2>&1; then
        version=$(clang -dumpversion)
        for runtime in "$(clang -print-resource-dir)"/lib/*/libclang_rt.fuzzer*; do
            need_file "$runtime" "libclang-rt-${version%%.*}-dev"
        done
    else
        want libclang-rt-dev
    fi
}

for_format() {
    need_command clang-format clang-format
}

# Pages, and programs that run in them: the C library for WebAssembly has a package per version of clang.
for_site() {
    for_build
    need_command python3 python3
    need_command sphinx-build python3-sphinx
    need_module sphinx-build furo furo
    need_module sphinx-build myst_parser python3-myst-parser
    need_command clang clang
    need_command wasm-ld lld
    need_command llvm-ar llvm
    need_file /usr/include/wasm32-wasi/stdio.h wasi-libc
    if command -v clang >/dev/null 2>&1; then
        version=$(clang -dumpversion)
        need_file "$(clang -print-resource-dir)/lib/wasi" "libclang-rt-${version%%.*}-dev-wasm32"
    fi
}

for_test_site() {
    for_site
    need_command node nodejs
    need_command npm npm
    need_command chromium chromium
}

look() { # <purpose>: leaves in $missing what it lacks
    missing=
    "for_$(echo "$1" | tr - _)"
    missing=${missing# }
}

purpose=${1-}
case $purpose in
build | run | play | inspect | page | test-inspector | web | test-web | test | test-all | screen | coverage | bench | bench-net | fuzz | format | packages | site | test-site | python | test-mpi) ;;
*)
    echo "usage: tools/deps.sh build|run|play|inspect|page|test-inspector|web|test-web|test|test-all|screen|coverage|bench|bench-net|fuzz|format|packages|site|test-site|python|test-mpi" >&2
    exit 2
    ;;
esac
[ "${SETT_DEPS-}" = skip ] && exit 0

look "$purpose"
[ -z "$missing" ] && exit 0

# $missing and $sudo are lists of words from here on.
if ! command -v apt-get >/dev/null 2>&1; then
    echo "deps: missing for '$purpose' (by the names of Debian's packages): $missing" >&2
    echo "deps: this is not a Debian system; install the like with its package manager," >&2
    echo "deps: or go on without by SETT_DEPS=skip in the environment." >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    sudo=
elif sudo -n true 2>/dev/null; then
    sudo="sudo -n"
else
    echo "deps: missing for '$purpose': $missing" >&2
    echo "deps: to install them, type: sudo apt-get install $missing" >&2
    exit 1
fi

echo "deps: installing $missing"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
install="env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"
# An update that fails is no reason to stop: the packages may be at hand all the same.
$sudo apt-get update >"$log" 2>&1
if ! $sudo $install $missing >>"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "deps: could not install $missing (the end of apt-get's words is above)" >&2
    exit 1
fi

look "$purpose"
if [ -n "$missing" ]; then
    echo "deps: installed, and yet not found: $missing" >&2
    exit 1
fi
