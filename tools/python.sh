#!/bin/sh
# The wheel of the Python module, in build/python/dist, and its tests.
#
#   tools/python.sh <libsett.so>           builds the wheel
#   tools/python.sh <libsett.so> --test    installs it into build/python/installed, and tests it there
#   tools/python.sh <libsett.so> --bench   the same, and compares a step with plain numpy
#
# Takes the first python3 that has cffi and numpy: that of the path, or /usr/bin/python3, for which
# Debian's packages are. SETT_PYTHON names another one.
set -eu

cd "$(dirname "$0")/.."
library=$1
out=$PWD/build/python
for python in ${SETT_PYTHON:-python3 /usr/bin/python3}; do
    "$python" -c 'import cffi, numpy, setuptools, wheel' 2>/dev/null && break
    python=
done
[ -n "$python" ] || {
    [ "${SETT_DEPS-}" = skip ] && [ "${2-}" = --test ] && {
        echo "  skipped: cffi, numpy or wheel (Debian: python3-cffi python3-numpy python3-wheel)"
        exit 0
    }
    echo "tools/python.sh: no python3 here has cffi, numpy and wheel (Debian: python3-cffi python3-numpy python3-wheel)" >&2
    exit 1
}

tools/api.py >/dev/null
tools/ffi.py
cp bindings/python/setup.py "$out/"
cp bindings/python/sett/__init__.py "$library" "$out/sett/"
# The inspector is a library of its own, beside the first one; without what it needs it is left out.
rm -f "$out/sett/libsett_inspector.so"
for need in civetweb zstd; do
    printf '#include <%s.h>\nint main(void) { return 0; }\n' $need |
        cc -x c - -o "$out/needs" -l$need 2>/dev/null || lacks="${lacks-} $need"
done
if [ -z "${lacks-}" ]; then
    cc -std=c11 -O2 -DNDEBUG -shared -fPIC -fvisibility=hidden -D_GNU_SOURCE -Iinclude -Iaddons/inspector \
        addons/inspector/*.c "$library" -lcivetweb -lzstd -lm -pthread -o "$out/sett/libsett_inspector.so"
else
    echo "  without the inspector: no$lacks (Debian: libcivetweb-dev libzstd-dev)"
fi
(cd "$out" && "$python" - ../ffi.h ../../addons/inspector/sett_inspector.h >/dev/null) <<'P'
import re
import sys
import cffi

with open(sys.argv[1]) as file:  # read now, so that a program begins without reading it
    ffi = cffi.FFI()
    ffi.cdef(file.read())
with open(sys.argv[2]) as file:  # without comments, the preprocessor's lines and functions in line
    text = re.sub(r"(?s)/\*.*?\*/|^#.*?$|static inline [^;{]*\{.*?^\}", "", file.read(), flags=re.M)
    ffi.cdef(re.sub(r'(?s)extern "C" \{|^\}$', "", text, flags=re.M))
ffi.set_source("sett._declared", None)
ffi.emit_python_code("sett/_declared.py")
P
rm -rf "$out/dist" "$out/build" "$out/sett.egg-info"
(cd "$out" && "$python" setup.py --quiet bdist_wheel --dist-dir dist 2>log) || {
    cat "$out/log"
    exit 1
}
echo "  build/python/dist/$(basename "$out"/dist/*.whl), $(wc -c <"$(echo "$out"/dist/*.whl)") bytes"
[ "${2-}" = "" ] && exit 0

rm -rf "$out/installed"
"$python" -m zipfile -e "$out"/dist/*.whl "$out/installed"
export PYTHONPATH="$out/installed" PYTHONDONTWRITEBYTECODE=1
case $2 in
--test) "$python" bindings/python/test/test_sett.py ;;
--bench) "$python" bindings/python/test/bench_sett.py ;;
esac
