#!/bin/sh
# sett.hpp: its tests, the programs that must not compile, its size, and the instructions of loops.
#
#   tools/test_cpp.sh <build with sanitizers> <optimised build>     both contain libsett.a
#
# The tests run for g++ and clang++, as C++17 and as C++20. Skips the count without valgrind.
set -eu

cd "$(dirname "$0")/.."
checked=$1
fast=$2
out=build/cpp
mkdir -p $out
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Werror"
compilers="g++ clang++"
# Tests may leave out options of a descriptor that C++20 names.
flags="$warnings -Wno-missing-field-initializers -Iinclude -Itest/cpp -pthread"

tests() { # <compiler> <standard>
    sanitize=
    if [ "$1" = clang++ ]; then # as the library
        sanitize=$(sed -n 's/^SETT_SANITIZE:STRING=\(..*\)/-fsanitize=\1/p' "$checked/CMakeCache.txt")
    fi
    library=$checked
    if [ -z "$sanitize" ]; then
        library=$fast
        sanitize=-DNDEBUG
    fi
    $1 -std=$2 $flags $sanitize -g -fPIC -shared -fvisibility=hidden test/cpp/plugin.cpp -o $out/libplugin.so
    $1 -std=$2 $flags $sanitize -g -rdynamic test/cpp/test_cpp.cpp test/cpp/twin.cpp -o $out/test_cpp \
        -Wl,--whole-archive "$library/libsett.a" -Wl,--no-whole-archive \
        -L$out -lplugin -Wl,-rpath,"$PWD/$out"
    SETT_TEST_FOLDER=$PWD/$out $out/test_cpp >$out/log 2>&1 || {
        cat $out/log
        echo "$1 -std=$2 failed"
        exit 1
    }
    echo "  $1 $2 $sanitize: $(tail -n 1 $out/log)"
}
for compiler in $compilers; do
    for standard in c++17 c++20; do
        tests $compiler $standard
    done
done

# Each misuse fails, and its sentence is among the errors.
wrong=$(grep -c 'SAYS:' test/cpp/misuse.cpp)
for compiler in $compilers; do
    $compiler -std=c++17 $flags -DMISUSE=0 -fsyntax-only test/cpp/misuse.cpp
    number=1
    while [ $number -le "$wrong" ]; do
        sentence=$(awk -v n=$number '/MISUSE == / { at = $NF } $0 ~ "SAYS:" && at == n {
            sub(/.*SAYS: /, ""); sub(/ \*\/.*/, ""); print; exit }' test/cpp/misuse.cpp)
        if $compiler -std=c++17 $flags -DMISUSE=$number -fsyntax-only test/cpp/misuse.cpp >$out/said 2>&1; then
            echo "misuse.cpp: $compiler takes number $number"
            exit 1
        fi
        # Compilers wrap nothing, but print a sentence once in the error and once in the source.
        grep -qF "$sentence" $out/said && grep -qE "error: static (assertion|_assert)|error: static assertion|static_assert failed" $out/said || {
            echo "misuse.cpp: $compiler does not say for number $number: $sentence"
            head -n 5 $out/said
            exit 1
        }
        number=$((number + 1))
    done
done
echo "  $wrong misuses do not compile, each with its sentence"

for header in include/sett/*.hpp; do
    size=$(wc -c <"$header")
    lines=$(wc -l <"$header")
    [ "$size" -le 61440 ] && [ "$lines" -lt 1500 ] || {
        echo "$header: $size bytes, $lines lines: at most 61,440, and less than 1,500"
        exit 1
    }
    for compiler in $compilers; do # each alone
        $compiler -std=c++17 $flags -fsyntax-only -x c++ "$header"
    done
    sizes="${sizes-}, $(basename "$header") $size"
done
echo "  bytes: ${sizes#, }"

command -v valgrind >/dev/null || {
    echo "  skipped: instructions (Debian: valgrind)"
    exit 0
}
for compiler in $compilers; do
    $compiler -std=c++17 $flags -O3 -DNDEBUG -g1 test/cpp/loops.cpp "$fast/libsett.a" -o $out/loops
    valgrind --tool=callgrind --callgrind-out-file=$out/callgrind $out/loops >$out/log 2>&1
    callgrind_annotate --inclusive=yes --threshold=100 $out/callgrind |
        sed -n 's/^ *\([0-9,]*\) .*:\(c\|cpp\)_\([0-9]*\)\(\.constprop\.0\)\? .*/\1 \2 \3/p' |
        awk -v compiler=$compiler '
        { gsub(",", "", $1); if ($1 + 0 > count[$2, $3]) count[$2, $3] = $1 + 0 }
        END {
            for (n = 1; n <= 12; n++) {
                ratio = count["c", n] > 0 ? count["cpp", n] / count["c", n] : 0
                limit = n == 10 ? 2 : 1.02
                line = line sprintf(" %.2f", ratio)
                if (ratio == 0 || ratio > limit) { bad = bad sprintf(" %d", n) }
            }
            print "  " compiler ", instructions of 12 loops against the macros of C:" line
            if (bad != "") { print "too many, or not counted, in:" bad; exit 1 }
        }'
done
