#!/usr/bin/env python3
"""Which lines and branches of src/ the unit tests run: `make coverage`.

    tools/coverage.py              builds and runs them in build/coverage, and prints a table

A row for each file, those with the smallest share of branches first; the last line has the sums.
A debug build, where misuse is reported; lines of asserts do not count. What an inline function has
counts once: run if one file has run it.
"""
import collections
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "coverage")


def run(*command, **more):
    with open(BUILD + ".log", "a", encoding="utf-8") as log:
        if subprocess.run(command, stdout=log, stderr=log, cwd=ROOT, **more).returncode != 0:
            raise SystemExit("%s failed: see %s" % (command[0], os.path.relpath(log.name)))


def asserts(name):
    """The numbers of the lines of a file of src/ that belong to an assert."""
    with open(os.path.join(ROOT, "src", name), encoding="utf-8") as file:
        text = file.read()
    found = set()
    for match in re.finditer(r"SETTI_ASSERT\(", text):
        end, depth = match.end(), 1
        while depth != 0:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        found.update(range(text.count("\n", 0, match.start()) + 1, text.count("\n", 0, end) + 2))
    return found


def counts(objects):
    """(file, line) -> times, and (file, line, branch of the line) -> times, of all objects."""
    lines, branches, skipped = collections.Counter(), collections.Counter(), {}
    gcov = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities"] + objects,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=BUILD, check=True)
    for text in filter(None, gcov.stdout.split(b"\n")):
        for file in json.loads(text)["files"]:
            name = os.path.relpath(os.path.join(BUILD, file["file"]), os.path.join(ROOT, "src"))
            if name.startswith(".."):
                continue
            if name not in skipped:
                skipped[name] = asserts(name)
            for line in file["lines"]:
                if line["line_number"] in skipped[name]:
                    continue
                lines[name, line["line_number"]] += line["count"]
                for k, branch in enumerate(line["branches"]):
                    branches[name, line["line_number"], k] += branch["count"]
    return lines, branches


def share(counter, name=None):
    """Run, all, percent."""
    all_of = [times for key, times in counter.items() if name in (None, key[0])]
    hit = sum(times > 0 for times in all_of)
    return hit, len(all_of), 100.0 * hit / len(all_of) if all_of else 100.0


def main():
    if "--help" in sys.argv:
        print(__doc__)
        return
    os.makedirs(BUILD, exist_ok=True)
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    # The macro stands for -Os, where nothing is always inlined: an inline function's branches would
    # otherwise count again for each call of it in one function.
    run("cmake", "-S", ".", "-B", BUILD, "-DCMAKE_BUILD_TYPE=None",
        "-DCMAKE_C_FLAGS=-O0 -D__OPTIMIZE_SIZE__ --coverage",
        "-DSETT_BUILD_BENCHMARKS=OFF", "-DSETT_BUILD_EXAMPLES=OFF", "-DSETT_BUILD_ADDONS=OFF", "-DSETT_INSTALL=OFF",
        env=dict(os.environ, CC="gcc"))
    run("cmake", "--build", BUILD, "--parallel", jobs, "--target", "unit_tests")
    found = [os.path.join(folder, name) for folder, _, names in os.walk(BUILD) for name in names]
    for path in found:
        if path.endswith(".gcda"):  # what earlier runs counted
            os.remove(path)
    run("ctest", "--test-dir", BUILD, "--label-regex", "unit", "--parallel", jobs, "--timeout", "600")
    lines, branches = counts([path for path in found if path.endswith(".gcno") and "sett_static.dir" in path])
    rows = [(share(branches, name), share(lines, name), name) for name in {key[0] for key in lines}]
    print("%-34s %6s %7s %8s %8s" % ("src/", "lines", "run", "branches", "run"))
    for branch, line, name in sorted(rows, key=lambda row: row[0][2]) + [(share(branches), share(lines), "all")]:
        print("%-34s %6d %6.1f%% %8d %7.1f%%" % (name, line[1], line[2], branch[1], branch[2]))


if __name__ == "__main__":
    main()
