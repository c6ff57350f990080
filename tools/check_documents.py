#!/usr/bin/env python3
"""Compiles each block of C in README.md and the documents; looks up each of Sett's names there, each
file that they link to, above the tests each sentence of docs/events.md, and counts README.md's words. The pages of docs/site link to pages, which tools/site.py checks.

    tools/check_documents.py [<document>...]       without documents: all of them

A block is a program, declarations, or statements, which stand in a function behind
docs/site/fragment.h. What else a fragment takes for granted stands above it in a comment that
readers do not see: <!-- given: sett_world* replica; -->
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TEXTS = os.path.join(ROOT, "docs", "site")
BLOCK = re.compile(r"(?m)^( *)```c\n(.*?)^ *```", re.S)
GIVEN = re.compile(r"<!-- given: ((?:(?!-->).)*) -->\s*$", re.S)
# They tell of names that are gone, of those of other libraries, or of patterns of names.
HISTORY = ("CHANGELOG.md", "docs/migrating.md")
COMMAND = ["clang", "-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused",
           "-I" + TEXTS, "-I" + os.path.join(ROOT, "include"), "-I" + os.path.join(ROOT, "addons", "net"),
           "-I" + os.path.join(ROOT, "addons", "space"), "-I" + os.path.join(ROOT, "addons", "enet"),
           "-x", "c", "-"]


def program(name, text, found):
    """A block as a file that can be compiled."""
    given = GIVEN.search(text[:found.start()])
    code = re.sub("(?m)^" + found.group(1), "", found.group(2))
    place = '#line %d "%s"\n' % (text.count("\n", 0, found.start(2)) + 1, name)
    if "int main(" in code:
        return place + code
    head = '#include "fragment.h"\n' + (given.group(1) + "\n" if given else "")
    if re.search(r"(?m)^(static|typedef|#define|SETT_COMPONENTS) ?", code):
        return head + place + code
    return head + "void sett_fragment(void);\nvoid sett_fragment(void)\n{\n" + place + code + "\n}\n"


def names_in_code():
    names = set()
    # the build's options stand in CMakeLists.txt
    for place in ("include", "src", "addons", "test", "bench", "examples", "freedoom", "tools", "cmake", "CMakeLists.txt"):
        tree = os.path.join(ROOT, place)
        for path in [tree] + glob.glob(os.path.join(tree, "**", "*"), recursive=True):
            if os.path.isfile(path) and not path.endswith((".md", ".inc")):
                with open(path, encoding="utf-8", errors="replace") as file:
                    names.update(re.findall(r"\b(?:sett|SETT)_\w+", file.read()))
    return names


def plain(text):
    return re.sub(r"\W+", " ", text).strip()


def untested(text):
    """The sentences in the lists of docs/events.md that stand above no test."""
    above = ""
    for name in ("test_events.c", "test_observer.c", "test_event.c", "test_observe_any.c",
                 "test_observe_up.c"):
        with open(os.path.join(ROOT, "test", name), encoding="utf-8") as file:
            comments = re.findall(r"/\*((?:(?!\*/).)*)\*/\nstatic void \w+\(void\)\n", file.read(), re.S)
        above += " | ".join(plain(comment) for comment in comments)
    items = re.findall(r"(?ms)^- (.*?)(?=^- |^#|^$|\Z)", text)
    sentences = [plain(s) for item in items for s in re.split(r"(?<=\.)\s+", item.strip())]
    return [s for s in sentences if s not in above]


def main():
    if "--help" in sys.argv:
        print(__doc__)
        return 0
    pages = glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)
    documents = sys.argv[1:] or ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "freedoom/README.md"] + \
        sorted(os.path.relpath(path, ROOT) for path in pages)
    known, blocks, links, bad = names_in_code(), 0, 0, 0
    for name in documents:
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            text = file.read()
        for found in BLOCK.finditer(text):
            blocks += 1
            bad += subprocess.run(COMMAND, input=program(name, text, found).encode()).returncode != 0
        if name == "README.md" and len(text.split()) >= 1000:
            bad += 1
            print("README.md: %d words; a reader has patience for fewer than 1,000" % len(text.split()))
        for sentence in untested(text) if name == "docs/events.md" else []:
            bad += 1
            print("docs/events.md: no test says: " + sentence)
        for found in [] if name in HISTORY else re.finditer(r"\b((?:sett|SETT)_\w+)\b(\*?)", text):
            word = found.group(1)
            stem = word.endswith("_") or found.group(2)  # sett_cmd_*: all that begin so
            if not (any(k.startswith(word) for k in known) if stem else word in known):
                bad += 1
                print("%s:%d: there is no %s" % (name, text.count("\n", 0, found.start()) + 1, word))
        for found in [] if name.startswith("docs/site/") else re.finditer(r"\]\(([^)\s#:]+)(?:#[^)\s]*)?\)", text):
            links += 1
            to = os.path.join(os.path.dirname(os.path.join(ROOT, name)), found.group(1))
            if not os.path.exists(to):
                bad += 1
                print("%s:%d: links to %s, which does not exist" %
                      (name, text.count("\n", 0, found.start()) + 1, found.group(1)))
    print("%d documents, %d blocks of C, %d links to files; %d faults" % (len(documents), blocks, links, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
