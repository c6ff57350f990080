#!/bin/sh
# Proves that the checks can fail: each is shown small trees that break its law, and one that keeps
# it. A check that passes everything is worse than none.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
count=0

# A small Sett that keeps every law. The checks find their tree by where they lie.
fresh() {
    rm -rf "$tree"
    mkdir -p "$tree/include/sett" "$tree/src/base" "$tree/src/store" "$tree/test"
    cp -R "$root/tools" "$root/cmake" "$root/LICENSE" "$root/.clang-format" "$tree"
    cat >"$tree/include/sett/base.h" <<'END'
#ifndef SETT_BASE_H
#define SETT_BASE_H
#define SETT_VERSION_MAJOR 0
#define SETT_VERSION_MINOR 1
#define SETT_VERSION_PATCH 0
#ifdef __cplusplus
extern "C"
#endif
    __attribute__((visibility("default"))) int
    sett_version(void);
#endif
END
    printf '#include "sett/base.h"\n' >"$tree/include/sett/id.h"
    printf '#include "sett/id.h"\n' >"$tree/include/sett/sett.h"
    printf '#include "sett/sett.h"\n' >"$tree/include/sett/sett.hpp"
    printf '#include "sett/base.h"\nint setti_page(void);\n' >"$tree/src/base/page.h"
    printf '#include "base/page.h"\n\nint setti_page(void)\n{\n    return 1;\n}\n' \
        >"$tree/src/base/page.c"
    printf '#include "base/page.h"\n\nint sett_version(void)\n{\n    return setti_page();\n}\n' \
        >"$tree/src/store/array.c"
}

# must <pass|fail> <what its output holds> <command>...
must() {
    expected=$1
    text=$2
    shift 2
    if "$@" >"$work/said" 2>&1; then
        outcome=pass
    else
        outcome=fail
    fi
    if [ "$outcome" != "$expected" ] || { [ -n "$text" ] && ! grep -q -e "$text" "$work/said"; }; then
        cat "$work/said"
        echo "check_checks: should $expected and say '$text', but ${outcome}ed: $*"
        exit 1
    fi
    count=$((count + 1))
}

library() { # <flags>: compiles the tree as a static and a shared library
    (
        cd "$tree"
        rm -f sett.a sett.so ./*.o
        gcc -Iinclude -Isrc -fPIC -fvisibility=hidden "$@" -c src/*/*.c
        ar rc sett.a ./*.o
        gcc -shared ./*.o -o sett.so
        rm -f ./*.o
    )
}

# broken <file> <text> <what the check then says> <check>...: the text stands at the end of the file.
broken() {
    fresh
    mkdir -p "$tree/$(dirname "$1")"
    printf '%b\n' "$2" >>"$tree/$1"
    text=$3
    shift 3
    must fail "$text" "$@"
}

# ---- words, layers, headers, format, amalgamation ------------------------------------------------

words=$tree/tools/check_words.sh
layers=$tree/tools/check_layers.sh
headers=$tree/tools/check_headers.sh
format=$tree/tools/check_format.sh
amalgamate=$tree/tools/amalgamate.sh
fresh
must pass '' "$words"
must pass '' "$layers"
must pass 'compilations' "$headers"
must pass '' "$amalgamate"
must pass '' gcc -c "$tree/build/amalgamation/sett.c" -o "$work/sett.o"
"$format" --fix
must pass '' "$format"

broken src/base/page.h "/* SETT_STORAGE_""MATRIX */" 'page.h:3:SETT_STORAGE_[M]ATRIX - write: SETT_STORAGE_ARRAY' "$words"
broken src/base/page.h "/* it is ""told */" 'page.h:3:is [t]old - write: is called' "$words"
broken src/base/page.h '#include "store/storage.h"' 'src/base/page.h:3: base must not include store/storage.h' "$layers"
broken src/base/page.c 'x_fail(w, "%s: Bad news.", y);' 'page.c:7: a message begins with a capital' "$tree/tools/messages.py" --check
broken src/base/page.c "$(printf 'x_fail(w, "%%s: trouble of %s kind");\n' $(seq -f 'number_%g' 400))" 'messages are in no test' \
    "$tree/tools/messages.py" --check
broken src/state/x.c '#include "relation/hierarchy.h"' 'src/state/x.c:1: state must not include' "$layers"
broken src/base/page.c '#  include <store/storage.h>' 'src/base/page.c:7: base must not' "$layers"
broken include/sett/id.h '#include "base/page.h"' 'include/sett/id.h:2: a public header' "$layers"
broken src/store/array.c '#include "../base/page.h"' 'array.c:7: .*from src/ or include/ on' "$layers"
broken src/base/page.c '#include "page.h"' 'page.c:7: .*neither public nor in a layer' "$layers"
broken src/misc/x.c 'int x;' 'src/misc/x.c:1: lies in no layer' "$layers"
broken src/store/page.c 'int setti_y;' 'src/store/page.c:1: src/base/page.c has the same name' "$layers"
broken src/world/x.c '/* relation/x.c */' 'src/world/x.c:1: world names relation/x.c' "$layers"
broken src/run/x.h 'enum { SETTI_SLOT_A = 1 };\nenum { SETTI_SLOT_B = 1 };' 'x.h:2: slot 1 is used in src/run/x.h' "$layers"
fresh
mkdir "$tree/src/relation" "$tree/src/world"
printf 'struct setti_tree {\n    int x;\n};\n' >"$tree/src/relation/x.h"
printf 'struct setti_tree* setti_x;\n' >"$tree/src/world/x.h"
must fail 'src/world/x.h:1: world names setti_tree, which relation declares' "$layers"
broken include/sett/id.h 'size_t sett_size(void);' 'sett/id.h: gcc does not take it as c' "$headers"
broken include/sett/id.h 'static inline int *sett_class(int class) { return class ? (int *)0 : (int *)0; }' 'sett/id.h' "$headers"
broken src/base/page.h 'static inline int setti_f(long x) { return x; }' 'base/page.h: gcc does not' "$headers"
broken include/sett/more.h '#include "sett/base.h"' 'sett/more.h: sett/sett.h does not include it' "$headers"
broken include/sett/id.h 'int  *sett_x;' 'id.h:2:' "$format"
broken include/sett/id.h "/* $(printf '%0100d' 0) */" 'id.h:2: longer than' "$format"
broken src/base/page.c '#include "base/nowhere.h"' 'no such header: base/nowhere.h' "$amalgamate"

# ---- parts ---------------------------------------------------------------------------------------

# uses <layer> <function of another part>...: a source of the layer, which calls them.
uses() {
    layer=$1
    shift
    mkdir -p "$tree/src/$layer"
    {
        printf '#include "sett/base.h"\n'
        for name in "$@"; do printf 'int %s(void);\n' "$name"; done
        printf 'int sett_%s(void);\nint sett_%s(void)\n{\n    return 0' "$layer" "$layer"
        for name in "$@"; do printf ' + %s()' "$name"; done
        printf ';\n}\n'
    } >"$tree/src/$layer/$layer.c"
}
parts() {
    fresh
    uses relation sett_version
    uses search sett_version sett_relation
    uses state sett_version
    printf '#ifndef SETT_NO_RELATION\nint sett_relation(void);\nint sett_linked(void);\nint sett_linked(void)\n{\n    return sett_relation();\n}\n#endif\n' \
        >>"$tree/src/state/state.c"
    uses file sett_version sett_relation sett_state
    uses inspect sett_version
    uses tune sett_version
    mkdir "$tree/test/consumer"
    printf 'int main(void)\n{\n    return 0;\n}\n' >"$tree/test/consumer/consumer.c"
    { echo '```c' && cat "$tree/test/consumer/consumer.c" && echo '```'; } >"$tree/README.md"
}
check_parts=$tree/tools/check_parts.sh
parts
must pass '' "$check_parts"
uses tune sett_version sett_relation
must fail 'sett_tune.c needs names of parts that its first line does not name' "$check_parts"
parts
uses search sett_version
must fail 'sett_search.c does not need sett_relation.c' "$check_parts"
parts
uses world sett_state
must fail 'sett_core.c needs names of parts' "$check_parts"

# ---- api -----------------------------------------------------------------------------------------

api="$tree/tools/api.py --check"
fresh
cp -R "$root/include" "$tree"
must pass '0 faults' $api
cat >>"$tree/include/sett/threads.h" <<'END'
SETT_API void sett_bare(int x);

/* Does.
 *   y  a number
 * Since: 0.2 */
SETT_API void sett_half(int x);

typedef struct sett_world sett_world;
END
must fail 'sett_bare: has no comment' $api
must fail 'sett_world: is declared in base.h too' $api
must fail "sett_half: its comment has no 'Threads:'" $api
must fail "sett_half: describes 'y', which is no parameter" $api
mkdir "$tree/docs"
printf '| asked for | the call | example, test | left out |
| a | `sett_add`, `sett_gone` | test_gone | |
' >"$tree/docs/coming_from.md"
must fail "docs/coming_from.md:2: 'sett_gone' does not exist" $api
must fail "docs/coming_from.md:2: 'test_gone' does not exist" $api

abi="$root/tools/abi.py --compare"
printf 'enum e A: 1\nfunction f: int (void)\nsize s: 8 bytes\nstruct s x: int at 0, 4 bytes\n' >"$work/abi"
sed 's/function f.*/&\nfunction g: int (int)/' "$work/abi" >"$work/abi.new"
must pass '' $abi "$work/abi" "$work/abi.new"
for change in '/^function f/d' 's/int (void)/int (int)/' 's/A: 1/A: 2/' 's/at 0/at 4/' 's/8 bytes/16 bytes/'; do
    sed "$change" "$work/abi" >"$work/abi.new"
    must fail ' was \| is gone' $abi "$work/abi" "$work/abi.new"
done

# ---- symbols -------------------------------------------------------------------------------------

symbols="$tree/tools/check_symbols.sh $tree/sett.a $tree/sett.so"
fresh
# A constant table of addresses lies among relocated data: that is no state.
echo 'static const char *const table[] = {"a", "b"}; const char* setti_of(int i); const char* setti_of(int i) { return table[i]; }' >>"$tree/src/base/page.c"
library -O1
must pass '' $symbols
fresh
echo 'int stray(void); int stray(void) { return 1; }' >>"$tree/src/base/page.c"
echo 'int sett_counter; int *sett_next(void); int *sett_next(void) { static int n; return &n; }' >>"$tree/src/base/page.c"
library -O1
must fail 'sett.a: defines stray' $symbols
must fail 'sett_counter is HIDDEN in a shared library' $symbols
must fail 'sett_counter is writable' $symbols
must fail ' n.* is writable' $symbols
must fail 'setti_page is defined twice' $symbols "$tree/sett.a"

# ---- platform ------------------------------------------------------------------------------------

fresh
echo 'int puts(const char* text); int setti_rest(void); int setti_rest(void) { return puts("x"); }' >>"$tree/src/base/page.c"
must fail '^puts' "$tree/tools/check_platform.sh"
fresh
library -O1 -fvisibility=default
must fail 'sett.so: exports setti_page' $symbols
must fail 'sett.a: setti_page is DEFAULT in a shared library' $symbols

# ---- results that have to be kept ----------------------------------------------------------------

registers() { # <compiler and language> <statement>
    printf '#include "sett/sett.h"\nstruct P { int x; };\ntypedef struct P P;\nsett_component f(sett_world* w);
        sett_component f(sett_world* w) { sett_component id = 1; %s; return id; }\n' "$2" |
        $1 -Werror -I"$root/include" -c -o "$work/registers.o" -
}
for compiler in 'gcc -std=c11 -x c' 'clang -std=c11 -x c' 'g++ -std=c++17 -x c++' \
    'clang++ -std=c++17 -x c++'; do
    must pass '' registers "$compiler" 'id = SETT_REGISTER(w, P); id = SETT_REGISTER_TAG(w, T)'
    must fail 'warn_unused_result' registers "$compiler" 'SETT_REGISTER(w, P)'
    must fail 'warn_unused_result' registers "$compiler" 'SETT_REGISTER_TAG(w, T)'
done

# ---- vector code ----------------------------------------------------------------------------------

vectors=$tree/tools/check_vectors.sh
header=$tree/include/sett/loop.h
fresh
cp -R "$root/include" "$tree"
must pass '' "$vectors"
sed 's/i##_end_ = i##_each_.rows != NULL ? i + 1 : i##_each_.count/i##_end_ = i + 1/' \
    "$header" >"$work/header"
must fail '' cmp "$header" "$work/header"
cp "$work/header" "$header"
must fail 'check_vectors: SETT_EACH_RUN, gcc -O3' "$vectors"
echo 'error' >>"$header"
must fail 'does not compile' "$vectors"

# ---- programs in documents -----------------------------------------------------------------------

document() { # <line of C>
    printf 'Words.\n\n```c\n#include <sett/base.h>\n\nint main(void)\n{\n%s\n}\n```\n' "$1" \
        >"$work/words.md"
}
readme="$tree/tools/check_readme.sh $tree/sett.a $work/words.md"
fresh
library -O1
document 'return sett_version() - 1;'
must pass '' $readme
document 'return sett_version();'
must fail 'line_3: exit status 1' $readme
document 'int unused; return 0;'
must fail 'line_3.c:8:.*unused' $readme
printf '```c\nint f(void);\n```\n' >"$work/words.md"
must fail 'has no program' $readme

mkdir -p "$tree/docs/site"
: >"$tree/docs/site/fragment.h"
blocks="$tree/tools/check_documents.py $work/words.md"
printf '<!-- given: extern int x; -->\n```c\nx = 1;\n```\n`sett_version`\n' >"$work/words.md"
must pass '1 blocks of C, 0 links to files; 0 faults' $blocks
printf '```c\nx = 1;\n```\n' >"$work/words.md"
must fail 'words.md:2.*undeclared' $blocks
printf '`sett_%s`\n' nothing >"$work/words.md"
must fail 'words.md:1: there is no sett_noth.ng' $blocks
printf '[words](nothing.md)\n' >"$work/words.md"
must fail 'words.md:1: links to nothing.md' $blocks
mkdir -p "$tree/test"
events="$tree/tools/check_documents.py docs/events.md"
printf -- '- Sets run\n  hooks. Adding too.\n' >"$tree/docs/events.md"
printf '/* Sets run hooks. */\nstatic void sets(void)\n' >"$tree/test/test_events.c"
printf '/* `Adding` too. */\nstatic void adds(void)\n' >"$tree/test/test_event.c"
: >"$tree/test/test_observer.c"
: >"$tree/test/test_observe_any.c"
: >"$tree/test/test_observe_up.c"
must pass '0 faults' $events
printf '/* Adding too. */\n' >"$tree/test/test_event.c"
must fail 'no test says: Adding too' $events

# ---- figures in README.md, lists of pages --------------------------------------------------------

sizes=$tree/tools/check_sizes.sh
fresh
printf 'in your project, once: a day\n' >"$tree/README.md"
must fail 'does not say: .*the whole library' "$sizes"
cat >"$tree/README.md" <<'END'
    cc -g -O1 -c sett/sett.c -o sett.o # in your project, once: half a minute

`-O2`): 9,000 KB for the whole library, 0 KB for the core, 0 KB for a `-O2` core with `-Os` parts; 1 KB for the program

```c
#include "sett/sett.h"
int main(void) { return sett_version() - 1; }
```
END
must fail 'README.md says 9000 KB for the whole library; SETT_WRITE=1 tools/check_sizes.sh writes' "$sizes"
must pass '' env SETT_WRITE=1 "$sizes"
must pass '' "$sizes"
must pass '`-O2`): 0 KB for the whole library, 0 KB for the core, 0 KB for a `-O2` core with `-Os` parts; [1-9][0-9]* KB for the program$' cat "$tree/README.md"

site="$tree/tools/site.py --pages"
fresh
cp -R "$root/docs" "$root/include" "$root/bench" "$root/examples" "$root/freedoom" "$root/addons" "$root/bindings" "$root/test" \
    "$root"/*.md "$tree"
mkdir -p "$tree/build"
cp "$root/build/api.json" "$tree/build"
must pass '' $site
mv "$tree/examples/cookbook/timers.c" "$tree/examples/cookbook/clocks.c"
must fail 'docs/site/cookbook.md does not list each program once: clocks timers' $site
mv "$tree/examples/cookbook/clocks.c" "$tree/examples/cookbook/timers.c"
grep -v '^threads$' "$root/docs/site/concepts.md" >"$tree/docs/site/concepts.md"
must fail 'no list of pages has concepts/threads' $site
cp "$root/docs/site/concepts.md" "$tree/docs/site"
sed 's/> concepts\/threads/> concepts\/fibres/' "$root/docs/site/static/find.js" >"$tree/docs/site/static/find.js"
must fail 'there is no page concepts/fibres' $site
echo '# More' >"$tree/docs/more.md"
must fail 'DOCUMENTS does not list docs/more.md' $site

# ---- the run itself ------------------------------------------------------------------------------

fresh
git -C "$tree" init -q
printf '#!/bin/sh\nmkdir -p build out\n: >build/x; : >out/x\n' >"$tree/tools/check_words.sh"
echo '#!/bin/sh' >"$tree/tools/messages.py"
must pass '1 passed, 0 failed' "$tree/tools/test.sh" words
printf '#!/bin/sh\n: >stray.save\n' >"$tree/tools/check_words.sh"
must fail 'stray.save' "$tree/tools/test.sh" words

# ---- instructions --------------------------------------------------------------------------------

counts() { # <instructions of get>
    printf 'add 100.00\nget %s\n' "$1"
}
counts 50.00 >"$work/baseline.txt"
counts 51.00 >"$work/counts.txt"
must pass '2 scenes compared' "$root/tools/instructions.sh" --compare "$work/baseline.txt" "$work/counts.txt"
counts 52.00 >"$work/counts.txt"
must pass 'get takes 52.00.*a warning' "$root/tools/instructions.sh" --compare "$work/baseline.txt" "$work/counts.txt"
counts 56.00 >"$work/counts.txt"
must fail 'get takes 56.00' "$root/tools/instructions.sh" --compare "$work/baseline.txt" "$work/counts.txt"
counts 40.00 >"$work/counts.txt"
must pass '--update keeps it so' "$root/tools/instructions.sh" --compare "$work/baseline.txt" "$work/counts.txt"
echo 'add 100.00' >"$work/counts.txt"
must fail 'get is gone' "$root/tools/instructions.sh" --compare "$work/baseline.txt" "$work/counts.txt"

# ---- the report of the benchmarks ----------------------------------------------------------------

# That it passes is the stage bench.
if command -v python3 >/dev/null 2>&1; then
    mkdir -p "$work/measured"
    PYTHONDONTWRITEBYTECODE=1 must fail 'nothing from sweeps.csv' \
        python3 "$root/bench/report.py" --whole "$work/measured" "$work/report"
    PYTHONDONTWRITEBYTECODE=1 must fail 'create_2 is no row' \
        python3 "$root/bench/report.py" --whole "$work/measured" "$work/report"
fi

# ---- seeded faults -------------------------------------------------------------------------------

faults="env SETT_FAULTS_BUILD=build/here SETT_FAULTS_SECONDS=1 $tree/tools/faults.sh"
fault() { # <number that a function returns instead of 1>
    cat >"$tree/test/faults/1_one_is_another.patch" <<END
Caught-by: test_one
--- a/src/base/one.c
+++ b/src/base/one.c
@@ -1,4 +1,4 @@
 int one(void)
 {
-    return 1;
+    return $1;
 }
END
}
fresh
here=$tree/build/here
mkdir -p "$tree/test/faults" "$here/test/CMakeFiles/test_one.dir"
printf 'int one(void)\n{\n    return 1;\n}\n' >"$tree/src/base/one.c"
printf 'int one(void);\nint main(void)\n{\n    while (one() == 3) {\n    }\n    return one() == 2;\n}\n' \
    >"$tree/test/test_one.c"
: >"$here/test/test_one"
gcc -c "$tree/src/base/one.c" -o "$here/one.o"
gcc -c "$tree/test/test_one.c" -o "$here/test/CMakeFiles/test_one.dir/test_one.o"
ar rc "$here/libsett.a" "$here/one.o"
fault 2
must pass '^1 of 1$' $faults
fault 3
must fail 'HANGS IN test_one' $faults
fault 4
must fail 'NOT SEEN BY test_one' $faults

# ---- the test harness ----------------------------------------------------------------------------

harness() { # <checks that should pass> <checks that should fail>
    printf '#include "check.h"
static void first(void) { CHECK(1); %s }
static void second(void) { CHECK(1); %s }
TEST_MAIN(TEST(first), TEST(second))\n' "$1" "$2" >"$work/harness.c"
    gcc -std=c11 -Werror $(cat "$root/cmake/strict_flags.txt") -I "$root/test" \
        "$work/harness.c" -o "$work/harness"
}
harness 'CHECK_EQ((uint8_t)3, 3LL); CHECK_STR_EQ("a", "a"); CHECK_STR_EQ(NULL, NULL);' \
    'int x = 0; CHECK_PTR_EQ(&x, &x); CHECK_EQ(x++, 0); CHECK_EQ(x, 1);'
must pass '^2 passed, 0 failed$' "$work/harness"
must pass '^1 passed, 0 failed$' "$work/harness" second
must pass '^second$' "$work/harness" --list
must fail 'no test is called third' "$work/harness" third
harness '' 'CHECK(2 < 1);'
must fail 'harness.c:3: second: CHECK(2 < 1)' "$work/harness"
must fail '^1 passed, 1 failed$' "$work/harness"
must pass '' "$work/harness" first
harness '' 'CHECK_EQ(-1, UINT64_MAX);'
must fail 'CHECK_EQ(-1, UINT64_MAX): -1 is not 18446744073709551615' "$work/harness"
harness '' 'CHECK_STR_EQ("a", NULL);'
must fail '"a" is not "(null)"' "$work/harness"
harness '' 'int x[2] = {0}; CHECK_PTR_EQ(x, x + 1);'
must fail 'CHECK_PTR_EQ' "$work/harness"
harness '' 'CHECK_MSG(false, "round %d", 7);'
must fail 'second: round 7' "$work/harness"

echo "$count proofs"
