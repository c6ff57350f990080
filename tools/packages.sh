#!/bin/sh
# Packs the sources, and builds from them what Debian's tools can build: a Debian package, and a
# Meson subproject with tests. Each is used by the program in README.md. Says what it did.
#
#   tools/packages.sh [test...]    the unit tests that Meson builds and runs; "all" for all
#   tools/packages.sh --quick      what is built is not optimised, to be tested only
#
# Everything is written to build/packages; nothing is installed. What is packed are the files that git
# knows, as they are now. The recipes for vcpkg and Conan are only checked for their version. With
# SETT_DEPS=skip in the environment it leaves out what there is no tool for.
set -eu

cd "$(dirname "$0")/.."
root=$PWD
out=$root/build/packages
jobs=${JOBS:-2}
opt=
level=1
[ "${1-}" != --quick ] || {
    shift
    opt=" noopt"
    level=0
}
tests=${*:-world query snapshot file search threadless}
[ "$tests" != all ] || tests=
rm -rf "$out"
mkdir -p "$out"

version=$(awk '/^#define SETT_VERSION_(MAJOR|MINOR|PATCH) / { v = v "." $3 }
    END { print substr(v, 2) }' include/sett/base.h)
name=sett-$version

fail() {
    echo "packages: $*" >&2
    exit 1
}

run() { # <name of its log> <command...>: what it says, only if it fails
    log=$out/$1.log
    shift
    "$@" >"$log" 2>&1 || {
        tail -n 40 "$log" >&2
        fail "failed: $*"
    }
}

has() { # <command> <Debian's package>
    command -v "$1" >/dev/null && return
    [ "${SETT_DEPS-}" = skip ] || fail "$1 is not here: tools/deps.sh packages installs Debian's $2"
    echo "packages: skipped: what $1 builds (Debian: $2)"
    return 1
}

# One version in all files.
for place in "meson.build|version: '$version'" "packaging/debian/changelog|sett ($version-" \
    "packaging/debian/control|Package: libsett${version%.*}" "packaging/meson/sett.wrap|directory = $name" \
    "packaging/vcpkg/vcpkg.json|\"version\": \"$version\"" "packaging/conan/conanfile.py|version = \"$version\""; do
    grep -qF "${place#*|}" "${place%%|*}" || fail "${place%%|*}: does not say ${place#*|}"
done

# The program in README.md, and what it prints.
awk '/^```c$/ { inside = 1; next } /^```$/ { if (inside) { exit } } inside' README.md >"$out/game.c"
uses() { # <what> <folder with its pkg-config files> <its shared library's folder, or ""> <pkg-config's options> <package>
    flags=$(PKG_CONFIG_PATH=$2 pkg-config --cflags --libs $4 "$5")
    [ -n "$3" ] || flags="$flags -static"
    # shellcheck disable=SC2086
    run uses cc -std=c11 -O1 "$out/game.c" $flags -o "$out/game"
    said=$(LD_LIBRARY_PATH=$3 "$out/game")
    [ "$said" = "x = 11.0" ] || fail "$1: the program in README.md prints '$said'"
    echo "packages: $1: the program in README.md prints '$said'"
}

# ---- Sources -------------------------------------------------------------------------------------
git ls-files -z --cached --others --exclude-standard -- . ':!packaging/debian' |
    tar --null -T - --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
        --mtime="@$(git log -1 --format=%ct)" --transform "s|^|$name/|S" -cf "$out/$name.tar"
gzip -9n "$out/$name.tar"
echo "packages: $name.tar.gz, $(tar -tf "$out/$name.tar.gz" | wc -l) files, $(wc -c <"$out/$name.tar.gz") bytes"

# ---- Debian --------------------------------------------------------------------------------------
by_debian() {
    mkdir "$out/debian"
    cp "$out/$name.tar.gz" "$out/debian/sett_$version.orig.tar.gz"
    tar -xf "$out/$name.tar.gz" -C "$out/debian"
    cp -R packaging/debian "$out/debian/$name/debian"
    # Without what a debugger reads: it takes half of the time.
    (cd "$out/debian/$name" && run debian env DEB_BUILD_OPTIONS="parallel=$jobs noautodbgsym$opt" DEB_CFLAGS_STRIP=-g \
        dpkg-buildpackage -us -uc)
    unpacked=$out/debian/unpacked
    holds() { # <package> <what its list of files must match>...
        deb=$(echo "$out/debian/$1"_*.deb)
        dpkg-deb -c "$deb" | awk '{ print $6 }' >"$out/files"
        package=$1
        shift
        for file in "$@"; do
            grep -qE "^\./usr/$file\$" "$out/files" || fail "$package holds no /usr/$file"
        done
        dpkg-deb -x "$deb" "$unpacked"
        echo "packages: $(basename "$deb"): $(grep -c '[^/]$' "$out/files") files, $(wc -c <"$deb") bytes"
    }
    soname=${version%.*}
    holds "libsett$soname" "lib/[^/]*/libsett.so.$soname"
    holds "libsett-debug$soname" "lib/[^/]*/libsett_debug.so.$soname"
    # shellcheck disable=SC2046
    holds libsett-dev 'lib/[^/]*/libsett(_debug)?\.a' 'lib/[^/]*/libsett\.so' 'lib/[^/]*/libsett_debug\.so' \
        'lib/[^/]*/pkgconfig/sett\.pc' 'lib/[^/]*/pkgconfig/sett-debug\.pc' \
        'lib/[^/]*/cmake/sett/sett-config\.cmake' $(cd include && find sett -type f | sed 's|^|include/|')
    libraries=$(dirname "$(dirname "$(find "$unpacked" -name sett.pc)")")
    libraries_dir=$libraries/pkgconfig
    uses "Debian, shared" "$libraries_dir" "$libraries" "" sett
    uses "Debian, shared, reports misuse" "$libraries_dir" "$libraries" "" sett-debug
    uses "Debian, static" "$libraries_dir" "" --static sett
    mkdir "$out/cmake"
    cat >"$out/cmake/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(game C)
find_package(sett $version REQUIRED)
add_executable(game ../game.c)
target_link_libraries(game PRIVATE sett::sett)
END
    run cmake cmake -S "$out/cmake" -B "$out/cmake/build" -DCMAKE_PREFIX_PATH="$unpacked/usr" \
        -DCMAKE_LIBRARY_ARCHITECTURE="$(basename "$libraries")" -DCMAKE_BUILD_TYPE=Release
    run cmake cmake --build "$out/cmake/build"
    [ "$("$out/cmake/build/game")" = "x = 11.0" ] || fail "Debian, find_package: the program prints something else"
    echo "packages: Debian, find_package: the program in README.md prints 'x = 11.0'"
    if command -v lintian >/dev/null; then
        lintian --fail-on error "$out/debian"/*.changes || fail "lintian finds errors"
    fi
}

# ---- Meson ---------------------------------------------------------------------------------------
by_meson() {
    # In its own right, with tests, installed.
    run meson meson setup "$out/meson" . -Dtests=true --prefix=/usr -Doptimization=$level
    # shellcheck disable=SC2086
    run meson_test meson test -C "$out/meson" --num-processes "$jobs" $tests
    sed -n 's/^Ok: *\([0-9]*\).*/packages: Meson: \1 tests passed/p' "$out/meson_test.log"
    run meson env DESTDIR="$out/meson_installed" meson install -C "$out/meson"
    (cd include && find sett -type f | sort) >"$out/headers"
    (cd "$out/meson_installed/usr/include" && find . -type f | sed 's|^\./||' | sort) | diff "$out/headers" - ||
        fail "Meson installs other headers"
    uses "Meson, installed" "$(dirname "$(find "$out/meson_installed" -name sett.pc)")" "" \
        "--static --define-variable=prefix=$out/meson_installed/usr" sett

    # By the wrap file, in a project of a user; shared.
    user=$out/meson_user
    mkdir -p "$user/subprojects/packagefiles"
    cp packaging/meson/sett.wrap "$user/subprojects"
    cp "$out/$name.tar.gz" "$user/subprojects/packagefiles"
    cp "$out/game.c" "$user"
    cat >"$user/meson.build" <<'END'
project('game', 'c', default_options: ['c_std=c11'])
test('game', executable('game', 'game.c', dependencies: dependency('sett')))
END
    for kind in static shared; do
        run meson_user meson setup "$user/$kind" "$user" -Ddefault_library=$kind -Dsett:default_library=$kind \
            -Dsett:optimization=0
        run meson_user meson compile -C "$user/$kind" -j "$jobs" game
        [ "$("$user/$kind/game")" = "x = 11.0" ] || fail "Meson, wrap, $kind: the program prints something else"
        echo "packages: Meson, wrap, $kind: the program in README.md prints 'x = 11.0'"
    done
}

! has dpkg-buildpackage dpkg-dev || ! has dh debhelper || by_debian
! has meson meson || ! has ninja ninja-build || by_meson
echo "packages: not run: packaging/vcpkg, packaging/conan, which Debian has no tools for"
