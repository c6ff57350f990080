#!/bin/sh
# Every header compiles alone, included twice: the public ones as C11 and as C++17, the private ones
# as C11, with gcc and clang and every warning an error. The macros compile in a user's file, also as
# C++20.
set -eu

cd "$(dirname "$0")/.."
c_flags="-std=c11 $(cat cmake/strict_flags.txt)"
cxx_flags="-std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef"
count=0

compile() { # <header as a user names it> <compiler> <language> <flags>
    printf '#include <%s>\n#include <%s>\n' "$1" "$1" |
        $2 $4 -Werror -Iinclude -Isrc -fsyntax-only -x "$3" - || {
        echo "$1: $2 does not take it as $3" >&2
        exit 1
    }
    count=$((count + 1))
}

for path in include/sett/*.h; do
    header=${path#include/}
    case $header in
    sett/sett.h) ;;
    *) printf '#include <sett/sett.h>\n' | gcc -Iinclude -M -x c - | grep -q "$path" || {
        echo "$header: sett/sett.h does not include it" >&2
        exit 1
    } ;;
    esac
    compile "$header" gcc c "$c_flags"
    compile "$header" clang c "$c_flags"
    compile "$header" g++ c++ "$cxx_flags"
    compile "$header" clang++ c++ "$cxx_flags"
done
for path in include/sett/*.hpp; do
    [ -f "$path" ] || continue # a tree without it: see check_checks.sh
    for standard in c++17 c++20; do
        compile "${path#include/}" g++ c++ "${cxx_flags#-std=c++17} -std=$standard"
        compile "${path#include/}" clang++ c++ "${cxx_flags#-std=c++17} -std=$standard"
    done
done
for path in $(find src -name '*.h' | sort); do
    header=${path#src/}
    compile "$header" gcc c "$c_flags"
    compile "$header" clang c "$c_flags"
done

# The macros, as a user's file has them.
macros() { # <compiler> <language> <flags>
    $1 $3 -Werror -Iinclude -fsyntax-only -x "$2" test/consumer/macros.c || {
        echo "macros.c: $1 does not take it as $2 ($3)" >&2
        exit 1
    }
    count=$((count + 1))
}

[ -f test/consumer/macros.c ] || { # a tree without tests: see check_checks.sh
    echo "$count compilations"
    exit 0
}
for build in "" -DNDEBUG; do
    for compiler in gcc clang; do
        macros $compiler c "$c_flags $build"
        macros $compiler c "$c_flags -DSETT_NO_CLEANUP $build"
    done
    for compiler in g++ clang++; do
        macros $compiler c++ "$cxx_flags $build"
        macros $compiler c++ "${cxx_flags#-std=c++17} -std=c++20 $build"
    done
done

# A type that is not trivially copyable needs hooks, one with default member initialisers a call
# that knows it.
cxx20_flags="${cxx_flags#-std=c++17} -std=c++20 -Wno-missing-field-initializers"
rejects() { # <compiler> <definition> <part of the sentence>
    if $1 $cxx20_flags -D$2 -Iinclude -fsyntax-only -x c++ test/consumer/macros.c 2>&1 | grep -q "$3"; then
        count=$((count + 1))
    else
        echo "macros.c: $1 takes it with $2" >&2
        exit 1
    fi
}
for compiler in g++ clang++; do
    macros $compiler c++ "$cxx20_flags -DSETT_TEST_NOT_COPYABLE=3"
    macros $compiler c++ "$cxx20_flags -DSETT_TEST_DEFAULTS=4"
    for wrong in 1 2; do
        rejects $compiler SETT_TEST_NOT_COPYABLE=$wrong "needs the hooks"
    done
    for wrong in 1 2 3; do
        rejects $compiler SETT_TEST_DEFAULTS=$wrong "would begin as zeroes"
    done
done
echo "$count compilations"
