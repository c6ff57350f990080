#!/usr/bin/env python3
"""One description of the public API, for the reference pages and for bindings.

    tools/api.py            writes build/api.json
    tools/api.py --check    only checks the comments

Declarations come from clang, comments from include/sett. A public function without "Threads" or
"Since" is an error, and so is the description of a parameter that no function of the comment has.
Names that end in _ are private; those in _sized are described by the function that calls them. What
another language calls in place of a function that is only in line is the item's `binding`, or its
`instead`. Offsets, sizes and values are those of this machine and its C compiler: $CC, or cc.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = os.path.join(ROOT, "include", "sett")
KEYS = ["Fails", "Cost", "Invalidates", "Threads", "Since"]
SPLIT = re.compile(r"\b(Fails|Cost|Invalidates|Threads|Cost and threads|Since):|(?:^|(?<=[.:;] ))(Returns?) ")
PARAMETER = re.compile(r"^  (\w+(?:, \w+)*)  +(\S.*)$")

# Functions that are only in line and have no _sized form: what other languages do instead.
INSTEAD = {
    "sett_component_bound": "sett_component_find(world, name)",
    "sett_accessor_make": "sett_find(world, entity, component)",
    "sett_accessor_find": "sett_find(world, entity, component)",
    "sett_accessor_has": "sett_has(world, entity, component)",
    "sett_batch_field": "batch.fields[k]",
    "sett_batch_has": "bit k of batch.present",
    "sett_batch_index": "batch.indices[row], or batch.base + row if that is NULL",
    "sett_batch_entity": "sett_run_entities(batch, run, out)",
    "sett_hierarchy_find_in_parent": "sett_find(world, sett_hierarchy_parent(world, entity), component)",
    "sett_null": "all zeroes",
    "sett_is_null": "generation is 0",
    "sett_equals": "both members are equal",
    "sett_entity_to_u64": "generation * 2^32 + index",
    "sett_entity_from_u64": "index is the lower half, generation the upper",
    "sett_rows_entity": "sett_entity_at(world, rows.index[variable][row]); null for UINT32_MAX",
    "sett_string_get": "string.text; NULL is an empty text",
    "sett_add_tag": "sett_add(world, entity, component)",
    "sett_random_key": "sett_random(seed, entity, tick, use)",
    "sett_random_of": "sett_random(seed, entity, tick, use)",
}


class Header:
    """A header's text, its comments by the line where they end, and its sections."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        self.text = open(path, encoding="utf-8").read()
        self.lines = self.text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line.encode()) + 1)
        self.before = {}  # line after a comment that stands alone -> (first line, text)
        self.behind = {}  # line of code -> text of the comment that begins on it
        self.sections = []
        for found in re.finditer(r"/\*(.*?)\*/", self.text, re.S):
            first = self.text.count("\n", 0, found.start()) + 1
            last = self.text.count("\n", 0, found.end()) + 1
            banner = re.match(r"\s-{20,} (.+?)\s*$", found.group(1))
            alone = self.lines[first - 1].lstrip().startswith("/*")
            if banner:
                self.sections.append((first, banner.group(1)))
            elif alone and self.lines[last - 1].rstrip().endswith("*/"):
                self.before[last + 1] = (first, found.group(1))
            elif not alone:
                self.behind[first] = (last, found.group(1))

    def line_at(self, offset):
        low, high = 0, len(self.starts) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.starts[middle] <= offset else (low, middle)
        return low + 1

    def section_at(self, line):
        return next((s for first, s in reversed(self.sections) if first < line), "")


def comment_lines(text):
    lines = [re.sub(r"^\s*\* ?", "", line) if k else line.strip() for k, line in enumerate(text.split("\n"))]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def parse(text):
    """A comment as {text: [paragraphs and code], parameters, returns, fails, cost, ...}."""
    doc = {"text": [], "parameters": []}
    section = section_of_code = "text"
    paragraph, code = [], []

    def put(name, words):
        words = words.strip()
        if not words:
            return
        blocks = doc.setdefault(name, [])
        if name != "text" and blocks and "paragraph" in blocks[-1]:
            blocks[-1]["paragraph"] += " " + words
        else:
            blocks.append({"paragraph": words})

    def flush():
        nonlocal section, section_of_code
        joined = " ".join(word.strip() for word in paragraph)
        paragraph.clear()
        at, name = 0, section
        for found in SPLIT.finditer(joined):
            put(name, joined[at : found.start()])
            if found.group(2):
                name, at = "returns", found.start()
            else:
                name, at = found.group(1).lower(), found.end()
        put(name, joined[at:])
        section = section_of_code = name

    def flush_code():
        while code and not code[-1].strip():
            code.pop()
        if code:
            indent = min(len(c) - len(c.lstrip()) for c in code if c.strip())
            doc.setdefault(section_of_code, []).append({"code": "\n".join(c[indent:] for c in code)})
        code.clear()

    in_parameter = False
    for line in comment_lines(text):
        indent = len(line) - len(line.lstrip())
        found = PARAMETER.match(line)
        if found:
            flush()
            flush_code()
            section = "text"
            doc["parameters"].append({"names": found.group(1).split(", "), "text": found.group(2)})
            in_parameter = True
        elif in_parameter and line.strip() and indent >= 4:
            doc["parameters"][-1]["text"] += " " + line.strip()
        elif not line.strip():
            flush()
            if code:
                code.append("")
            section, in_parameter = "text", False
            section_of_code = "text"
        elif indent >= 4:
            flush()
            code.append(line)
        else:
            flush_code()
            in_parameter = False
            paragraph.append(line)
    flush()
    flush_code()
    both = doc.pop("cost and threads", None)
    if both:
        doc["cost"] = doc["threads"] = both
    return doc


def tree():
    command = ["clang", "-std=c11", "-I" + os.path.join(ROOT, "include"), "-fsyntax-only"]
    command += ["-Xclang", "-ast-dump=json", "-x", "c", os.path.join(HEADERS, "sett.h")]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def place(node, state):
    """clang prints a file only where it changes: hands each location its file, in print order."""
    if isinstance(node, list):
        for item in node:
            place(item, state)
    elif isinstance(node, dict):
        if "offset" in node and "tokLen" in node:
            state["file"] = node.get("file", state["file"])
            node["file"] = state["file"]
        for key, value in node.items():
            if key != "includedFrom":
                place(value, state)


def spelled(c_type):
    """A type as the headers spell it."""
    c_type = re.sub(r" \(unnamed .*?\)", "", c_type)  # with the place on this machine
    return re.sub(r" ?(\*+) ?", r"\1 ", c_type.replace("_Bool", "bool")).replace("* )", "*)").strip()


def spot(location):
    """Where it stands in the text, also if a macro was expanded there."""
    return location.get("expansionLoc", location)


def read():
    headers = {name: Header(os.path.join(HEADERS, name)) for name in sorted(os.listdir(HEADERS)) if name.endswith(".h")}
    top = tree()
    place(top, {"file": ""})
    items = []
    last = {}  # header -> (last line of the declaration before, its comment)

    def note_of(header, first, end):
        """The comment of a declaration: right in front of it, or of the one right in front."""
        at = header.before.get(first)
        if at is None and last.get(header.name, (0, None))[0] == first - 1:
            at = last[header.name][1]
        last[header.name] = (end, at)
        return at

    records = {}
    for node in top["inner"]:
        begin, end = spot(node["range"]["begin"]), spot(node["range"]["end"])
        if not begin.get("file", "").startswith(HEADERS):
            continue
        header = headers[os.path.basename(begin["file"])]
        first, final = header.line_at(begin["offset"]), header.line_at(end["offset"])
        while ";" not in header.lines[final - 1] and "}" not in header.lines[final - 1]:
            final += 1
        name = node.get("name", "")
        kind = node["kind"]
        if kind == "FunctionDecl" and node.get("previousDecl"):
            continue  # its definition in line
        if name.endswith("_") or not name.startswith("sett_") and kind == "FunctionDecl":
            last[header.name] = (final, None)
            continue
        item = {"name": name, "header": header.name, "line": first, "section": header.section_at(first)}
        if kind == "FunctionDecl":
            parameters = [n for n in node.get("inner", []) if n["kind"] == "ParmVarDecl"]
            item["kind"] = "function"
            item["result"] = spelled(node["type"]["qualType"].split("(", 1)[0])
            item["parameters"] = [{"name": n.get("name", ""), "type": spelled(n["type"]["qualType"])} for n in parameters]
            item["inline"] = bool(node.get("inline"))
        elif kind in ("RecordDecl", "EnumDecl"):
            if not node.get("inner"):
                continue
            item["kind"] = "struct" if kind == "RecordDecl" else "enum"
            item["members"] = members(header, node, final)
            records[name] = item
        elif kind == "TypedefDecl":
            if name in records:
                continue
            item["kind"] = "type"
            item["type"] = spelled(node["type"]["qualType"])
            if re.fullmatch(r"struct \w+", item["type"]):
                item["type"] = "opaque"
        else:
            continue
        note = note_of(header, first, final)
        item["group"] = note[0] if note else None
        item["doc"] = parse(note[1]) if note else None
        items.append(item)
    for header in headers.values():
        items += macros(header, {i["name"] for i in items})
    items.sort(key=lambda i: (i["header"], i["line"]))
    binding = {i["name"]: i for i in items if i["name"].endswith("_sized")}
    plain = [i for i in items if i["name"] not in binding]
    for item in plain:
        sized = binding.get(item["name"] + "_sized", binding.get(item["name"].replace("_desc", "") + "_sized"))
        if item["kind"] == "function" and item["inline"] and sized:
            item["binding"] = sized["name"]
            item["binding_parameters"] = sized["parameters"]
        elif item["name"] in INSTEAD:
            item["instead"] = INSTEAD[item["name"]]
    # One whose plain form is an inline function of another name has a comment of its own.
    named = {i["name"] for i in plain}
    plain += [i for n, i in binding.items() if n[: -len("_sized")] not in named]
    plain.sort(key=lambda i: (i["header"], i["line"]))
    pages = []
    for header in headers.values():
        head = parse(header.before[next(iter(header.before))][1]) if header.before else {"text": []}
        head["text"] = [t for t in head["text"] if "SPDX" not in t.get("paragraph", "")]
        pages.append({"name": header.name, "doc": head})
    version = [re.search(r"SETT_VERSION_%s (\d+)" % part, headers["base.h"].text).group(1)
               for part in ("MAJOR", "MINOR", "PATCH")]
    return {"version": ".".join(version), "statuses": statuses(headers["base.h"]), "headers": pages, "items": plain}


def measure(api):
    """Adds offsets, sizes and the values of enumerators and macros, from a program in C."""
    lines = []
    for item in api["items"]:
        name = item["name"]
        if item["kind"] == "struct":
            lines.append('P("%s", sizeof(%s)); P("%s align", _Alignof(%s));' % (name, name, name, name))
            for member in item["members"]:
                at = "%s.%s" % (name, member["name"])
                lines.append('P("%s", offsetof(%s, %s));' % (at, name, member["name"]))
                lines.append('P("%s size", sizeof(((%s*)0)->%s));' % (at, name, member["name"]))
        elif item["kind"] == "enum":
            lines += ['P("%s", %s);' % (m["name"], m["name"]) for m in item["members"]]
        elif item["kind"] == "macro" and re.fullmatch(r"[0-9]+", item["value"]):
            lines.append('P("%s", %s);' % (name, name))
    program = """#include "sett/sett.h"
#include <stdio.h>
#define P(name, value) printf("%%s=%%lld\\n", name, (long long)(value))
int main(void)
{
    P("SETT_VERSION", SETT_VERSION);
    P("SETT_LAYOUT", SETT_LAYOUT);
    %s
    return 0;
}
""" % "\n    ".join(lines)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "measure")
        command = [os.environ.get("CC", "cc"), "-std=c11", "-w", "-I" + os.path.join(ROOT, "include"), "-x", "c", "-", "-o", out]
        subprocess.run(command, input=program.encode(), check=True)
        said = subprocess.run([out], check=True, stdout=subprocess.PIPE).stdout.decode()
    values = {name: int(value) for name, _, value in (line.partition("=") for line in said.splitlines())}
    api["version_number"] = values["SETT_VERSION"]
    api["layout"] = values["SETT_LAYOUT"]
    for item in api["items"]:
        name = item["name"]
        if item["kind"] == "struct":
            item["size"], item["align"] = values[name], values[name + " align"]
            for member in item["members"]:
                at = "%s.%s" % (name, member["name"])
                member["offset"], member["size"] = values[at], values[at + " size"]
        elif item["kind"] == "enum":
            for member in item["members"]:
                member["value"] = values[member["name"]]
        elif item["kind"] == "macro" and re.fullmatch(r"[0-9]+", item["value"]):
            item["number"] = values[name]


def members(header, node, final):
    """Fields or enumerators with the comment behind each, or in front of it or of its group."""
    out, shared, at = [], None, 0
    for child in node["inner"]:
        if child["kind"] not in ("FieldDecl", "EnumConstantDecl") or not child.get("name"):
            continue
        begin = header.line_at(spot(child["range"]["begin"])["offset"])
        end = header.line_at(spot(child["range"]["end"])["offset"])
        if child["name"].endswith("_"):
            continue
        behind = header.behind.get(end)
        before = header.before.get(begin)
        if before is not None:
            shared = before
        elif begin > at + 1:
            shared = None
        note = behind[1] if behind else shared[1] if shared and begin <= at + 1 or before else None
        at = behind[0] if behind else end
        # A comment in front that only the first field was meant by ends at the next own comment.
        if behind:
            shared = None
        out.append({
            "name": child["name"],
            "type": spelled(child["type"]["qualType"]) if child["kind"] == "FieldDecl" else None,
            "text": " ".join(line.strip() for line in comment_lines(note)) if note else "",
        })
    if node["kind"] == "EnumDecl" and node.get("name") == "sett_status":
        texts = statuses(header)
        out = [{"name": "SETT_STATUS_" + n, "type": None, "text": t} for n, t in texts.items()]
    return out


def statuses(header):
    found = re.search(r"#define SETT_STATUS_LIST\(X\)(.*?)\n\n", header.text, re.S).group(1)
    return {name: re.sub(r'"\s+"', "", text)  # literals side by side are one text
            for name, text in re.findall(r'X\((\w+),[\s\\]*"(.*?)"\)', found.replace("\\\n", " "))}


def macros(header, taken):
    out, seen, last, note = [], set(), 0, None
    for k, line in enumerate(header.lines, 1):
        found = re.match(r"#define (SETT_\w+)(\([^)]*\))?(.*)", line)
        if not found:
            if line.startswith("#") and last == k - 1:
                last = k  # an #if or #else inside a group
            continue
        name = found.group(1)
        end = k
        while header.lines[end - 1].endswith("\\"):
            end += 1
        own = header.before.get(k)
        note = own if own else note if last == k - 1 else None
        last = end
        if name.endswith(("_", "_H")) or re.search(r"_[0-9]$", name) or "#undef " + name in header.text:
            continue
        arguments = found.group(2)
        old = next((o for o in out if o["name"] == name), None)
        if old:
            if old["doc"] is None and note:
                old["doc"], old["group"] = parse(note[1]), note[0]
            continue
        value = "" if arguments else found.group(3).strip().rstrip("\\").strip()
        out.append({
            "name": name, "kind": "macro", "header": header.name, "line": k,
            "section": header.section_at(k), "arguments": arguments, "value": value,
            "group": note[0] if note else None, "doc": parse(note[1]) if note else None,
            "shadows": name in taken,
        })
    return out


def check(api):
    bad = []
    groups = {}
    for item in api["items"]:
        groups.setdefault((item["header"], item["group"]), []).append(item)
    first = {}
    for item in api["items"]:
        if item["name"] and first.setdefault(item["name"], item) is not item:
            bad.append("include/sett/%s:%d: %s: is declared in %s too" %
                       (item["header"], item["line"], item["name"], first[item["name"]]["header"]))
        where = "include/sett/%s:%d: %s" % (item["header"], item["line"], item["name"])
        doc = item["doc"]
        if item["kind"] == "function":
            if doc is None:
                bad.append(where + ": has no comment")
                continue
            if item["inline"] != ("binding" in item or "instead" in item):
                bad.append(where + ": INSTEAD of tools/api.py does not say what other languages call")
            for key in ("threads", "since"):
                if key not in doc:
                    bad.append("%s: its comment has no '%s:'" % (where, key.title()))
        if doc is None or item["kind"] not in ("function", "macro"):
            continue
        known = set()
        for other in groups[(item["header"], item["group"])]:
            if other["kind"] == "function":
                known |= {p["name"] for p in other["parameters"]}
            elif other.get("arguments"):
                known |= set(re.findall(r"\w+", other["arguments"]))
            else:
                known |= {m["name"] for m in other.get("members", [])}
        for parameter in doc["parameters"]:
            for name in parameter["names"]:
                if known and name not in known:
                    bad.append("%s: describes '%s', which is no parameter" % (where, name))
    return bad


def asked_for():
    """What docs/coming_from.md names and does not exist, in its tables with examples and tests."""
    path = os.path.join(ROOT, "docs", "coming_from.md")
    if not os.path.exists(path):
        return []
    texts = [open(os.path.join(HEADERS, name), encoding="utf-8").read() for name in os.listdir(HEADERS) if name.endswith(".h")]
    known = set(re.findall(r"\w+", " ".join(texts)))
    bad = []
    shown = False
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        cells = line.split(" | ")
        head = len(cells) > 2 and cells[2] == "example, test"
        shown = line.startswith("|") and (shown or head)
        if not shown or head or len(cells) < 4:
            continue
        missing = set(re.findall(r"\b(?:sett|SETT)_\w+", line)) - known
        for name in filter(None, re.split(r",\s*", cells[2].strip())):
            paths = [os.path.join(ROOT, form % name) for form in ("examples/%s.c", "test/%s.c", "%s")]
            if not name.startswith("`make ") and not any(map(os.path.exists, paths)):
                missing.add(name)
        bad += ["docs/coming_from.md:%d: '%s' does not exist" % (number, name) for name in sorted(missing)]
    return bad


def main():
    api = read()
    bad = check(api) + asked_for()
    for line in bad:
        print(line, file=sys.stderr)
    if "--check" not in sys.argv:
        measure(api)
        os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
        with open(os.path.join(ROOT, "build", "api.json"), "w", encoding="utf-8") as out:
            json.dump(api, out, indent=1)
    functions = sum(i["kind"] == "function" for i in api["items"])
    print("%d functions, %d other names, %d faults" % (functions, len(api["items"]) - functions, len(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
