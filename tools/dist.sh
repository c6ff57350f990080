#!/bin/sh
# Packs what a release consists of: sett-<version>.tar.gz and its checksum. The same commit gives the
# same bytes.
#
#   tools/dist.sh [folder, by default build/dist]
#
# In it: sett.h, sett.c, sett.hpp and the parts, include/, docs/, README.md, CHANGELOG.md, LICENSE,
# SECURITY.md, and SHA256SUMS of all these. Times are those of the commit; SOURCE_DATE_EPOCH, in
# seconds, replaces it where there is no repository.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$root"

version=$(awk '/^#define SETT_VERSION_(MAJOR|MINOR|PATCH) / { v = v "." $3 }
    END { print substr(v, 2) }' include/sett/base.h)
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
name=sett-$version
rm -rf "${out:?}/$name"
tools/amalgamate.sh "$out/$name" >/dev/null
cp -R include docs README.md CHANGELOG.md LICENSE SECURITY.md "$out/$name"
cd "$out/$name"
find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's|^\./||' | tr '\n' '\0' | xargs -0 sha256sum >SHA256SUMS
cd ..
tar --sort=name --mtime="@$time" --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
    -cf "$name.tar" "$name"
gzip -9nf "$name.tar"
sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
rm -rf "$name"
echo "$out/$name.tar.gz: $(wc -c <"$name.tar.gz") bytes, sha256 $(cut -c1-16 "$name.tar.gz.sha256")..."
