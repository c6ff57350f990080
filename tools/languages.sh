#!/bin/sh
# One game in C, C++, Python and Lua (bindings/meadow): wants one hash. Tests of the module for LuaJIT.
#
#   tools/languages.sh <folder with libsett.a and libsett.so>    after tools/python.sh <libsett.so> --test
set -eu

cd "$(dirname "$0")/.."
built=$PWD/$1
[ "${SETT_DEPS-}" = skip ] && { ! command -v luajit >/dev/null || [ ! -d build/python/installed ]; } && {
    echo "  skipped: LuaJIT and the game in four languages (Debian: luajit)"
    exit 0
}
command -v luajit >/dev/null || {
    echo "missing: LuaJIT; install Debian's luajit, or run tools/deps.sh python, which does"
    exit 1
}
out=build/languages
mkdir -p $out
for python in ${SETT_PYTHON:-python3 /usr/bin/python3}; do
    "$python" -c 'import cffi, numpy' 2>/dev/null && break
done
export SETT_LIBRARY="$built/libsett.so" LUA_PATH="$PWD/bindings/lua/?.lua;$PWD/build/lua/?.lua"
export PYTHONPATH=build/python/installed PYTHONDONTWRITEBYTECODE=1

cc -std=c11 -O3 -DNDEBUG -Iinclude bindings/meadow/meadow.c "$built/libsett.a" -o $out/meadow_c -pthread
c++ -std=c++17 -O3 -DNDEBUG -Iinclude bindings/meadow/meadow.cpp "$built/libsett.a" -o $out/meadow_cpp -pthread
luajit bindings/lua/test_sett.lua $out
{
    echo "C       $($out/meadow_c)"
    echo "C++     $($out/meadow_cpp)"
    echo "LuaJIT  $(luajit bindings/meadow/meadow.lua)"
    echo "Python  $("$python" bindings/meadow/meadow.py)"
} >$out/said
sed 's/^/  /' $out/said
[ "$(awk '{ print $2, $3, $5 }' $out/said | sort -u | wc -l)" = 1 ] && [ "$(wc -l <$out/said)" = 4 ] || {
    echo "the languages do not end with one world"
    exit 1
}
