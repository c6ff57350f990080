#!/bin/sh
# Installs a tree of Sett where little of it is built yet, and uses what was installed: consumer.c
# with the library that reports misuse, and as C++ with the other one. For seeded faults of headers
# and of the install rules ("Caught-by: installed", see tools/faults.sh); the stage `install` uses
# every other way, too.
#
#   test/consumer/installed.sh <tree> <folder for the build>
set -eu

tree=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
flags="-O0 -DNDEBUG"
cmake -S "$tree" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="$flags" \
    -DSETT_BUILD_TESTS=OFF -DSETT_BUILD_BENCHMARKS=OFF -DSETT_BUILD_EXAMPLES=OFF -DSETT_BUILD_ADDONS=OFF
cmake --install "$folder/build" --prefix "$folder/installed"

PKG_CONFIG_PATH=$(dirname "$(find "$folder/installed" -name sett.pc)")
export PKG_CONFIG_PATH
consume() { # <package> <compiler and flags>...
    package=$1
    shift
    eval "$* $tree/test/consumer/consumer.c -x none $(pkg-config --cflags --libs "$package")" \
        -o "$folder/consumer"
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir "$package") "$folder/consumer"
}
consume sett-debug gcc -g -x c
consume sett g++ -std=c++17 -DNDEBUG -x c++
