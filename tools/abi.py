#!/usr/bin/env python3
"""Compares the binary interface with that of the released version: exported functions, offsets and
sizes of public structs, values of enumerators.

    tools/abi.py                    compare build/api.json (tools/api.py) with test/abi/<version>.txt
    tools/abi.py --update           write that file anew: the interface at a release
    tools/abi.py --compare A B      only compare two such files

A file is a list of facts, one a line. New ones are allowed; a fact that is gone or changed is
rejected, and so is a struct that grows, unless the caller passes its size (docs/stability.md). The
version is the first two numbers in include/sett/base.h: after a new minor version there is no file
until it is released. While CHANGELOG.md calls the version unreleased, differences are only listed.
"""
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZED = re.compile(r"_(desc|options|stats)$")  # travel with their size


def facts(api):
    lines = []
    for item in api["items"]:
        name, kind = item["name"], item["kind"]
        if kind == "function" and not item["inline"]:
            types = ", ".join(parameter["type"] for parameter in item["parameters"]) or "void"
            lines.append("function %s: %s (%s)" % (name, item["result"], types))
        elif kind == "enum":
            lines += ["enum %s %s: %s" % (name, member["name"], member["value"]) for member in item["members"]]
        elif kind == "struct":
            members = [member for member in item["members"] if member.get("offset") is not None]
            lines += ["struct %s %s: %s at %d, %d bytes" % (name, member["name"], member["type"], member["offset"], member["size"])
                      for member in members]
            if members and not SIZED.search(name):
                end = max(member["offset"] + member["size"] for member in members)
                lines.append("size %s: %d bytes" % (name, end))
    return sorted(set(lines))


def differences(before, after):
    now = dict(line.rsplit(": ", 1) if line.startswith("size") else line.split(": ", 1) for line in after)
    found = []
    for line in before:
        key, value = line.rsplit(": ", 1) if line.startswith("size") else line.split(": ", 1)
        if key not in now:
            found.append("%s is gone" % key)
        elif now[key] != value:
            found.append("%s was %s, is %s" % (key, value, now[key]))
    return found


def read(path):
    with open(path, encoding="utf-8") as file:
        return [line for line in file.read().split("\n") if line and not line.startswith("#")]


def main():
    if sys.argv[1:2] == ["--compare"]:
        found = differences(read(sys.argv[2]), read(sys.argv[3]))
        print("\n".join(found))
        return 1 if found else 0
    with open(os.path.join(ROOT, "build", "api.json"), encoding="utf-8") as file:
        api = json.load(file)
    version = ".".join(api["version"].split(".")[:2])
    path = os.path.join(ROOT, "test", "abi", version + ".txt")
    lines = facts(api)
    if sys.argv[1:] == ["--update"]:
        with open(path, "w", encoding="utf-8") as file:
            file.write("# The binary interface of Sett %s: tools/abi.py\n%s\n" % (version, "\n".join(lines)))
        print("  %d facts" % len(lines))
        return 0
    if not os.path.exists(path):
        print("  %s has no list yet: tools/abi.py --update at its release" % version)
        return 0
    found = differences(read(path), lines)
    with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
        unreleased = "[%s] - unreleased" % api["version"] in file.read()
    for line in found[:40]:
        print("  abi: " + line)
    print("  %d facts of the binary interface of %s%s, %d differ" %
          (len(lines), version, " (unreleased)" if unreleased else "", len(found)))
    return 1 if found and not unreleased else 0


if __name__ == "__main__":
    sys.exit(main())
