#!/usr/bin/env python3
"""Writes the sources of the documentation site and builds it: `make site`.

    tools/site.py                  build/site
    tools/site.py --pages          only the sources, in build/site-source

A page is a file of docs/site, a document of the repository, a program of examples/ with the comment
at its head, or a header as build/api.json describes it. Nothing is written here that stands
elsewhere: links between files of the repository become links between pages.
"""
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SITE = os.path.join(ROOT, "build", "site")
SOURCE = os.path.join(ROOT, "build", "site-source")
TEXTS = os.path.join(ROOT, "docs", "site")
SEE = os.path.join(ROOT, "build", "see")  # tools/see.sh

# Documents of the repository -> pages.
DOCUMENTS = {
    "docs/cpp.md": "start/cpp.md",
    "docs/python.md": "start/python.md",
    "docs/simulation.md": "start/simulation.md",
    "docs/coming_from.md": "moving/coming_from.md",
    "docs/migrating.md": "moving/migrating.md",
    "docs/events.md": "reference/events.md",
    "docs/queries.md": "reference/queries.md",
    "docs/terms.md": "reference/terms.md",
    "docs/stream.md": "reference/stream.md",
    "docs/misuse.md": "reference/misuse.md",
    "docs/design.md": "more/design.md",
    "docs/decisions.md": "more/decisions.md",
    "docs/dependencies.md": "more/dependencies.md",
    "docs/stability.md": "more/stability.md",
    "SECURITY.md": "more/security.md",
    "docs/bench/README.md": "more/bench/index.md",
    "docs/inspector.md": "more/inspector.md",
    "freedoom/README.md": "examples/freedoom.md",
    "CONTRIBUTING.md": "more/contributing.md",
    "CHANGELOG.md": "more/changelog.md",
}

ROLES = {"function": "func", "macro": "macro", "struct": "struct", "enum": "enum", "type": "type"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def write(page, text):
    path = os.path.join(SOURCE, page)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def programs():
    """Name -> path of each program that has a page."""
    found = {}
    for folder in ("examples", "examples/cookbook"):
        full = os.path.join(ROOT, folder)
        for name in sorted(os.listdir(full)) if os.path.isdir(full) else []:
            if name.endswith(".c"):
                found[name[:-2]] = folder + "/" + name
    return found


class Pages:
    def __init__(self):
        self.api = json.loads(read("build/api.json"))
        self.programs = programs()
        self.page_of = dict(DOCUMENTS, **{"README.md": "index.md"})
        for name in os.listdir(os.path.join(ROOT, "include", "sett")):
            self.page_of["include/sett/" + name] = "reference/" + name[:-2] + ".rst"
        for name, path in self.programs.items():
            kind = "cookbook" if "cookbook" in path else "examples"
            self.page_of[path] = kind + "/" + name + ".md"
        self.kinds = {}
        for item in self.api["items"]:
            self.kinds.setdefault(item["name"], item["kind"])
        self.extra = set()  # files that a document links to and that have no other page

    # ---- Documents: links become links between pages, pictures come along ----

    def link(self, path, page, target):
        """A link of the file `path`, in the page `page`."""
        if re.match(r"[a-z]+:|#", target) or target.endswith(".rst"):  # .rst: made from the headers
            return target
        name, _, anchor = target.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if re.search(r"\.(png|gif|svg)$", file):
            to = "pictures/" + posixpath.basename(file)
            full = os.path.join(SOURCE, to)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            shutil.copyfile(os.path.join(ROOT, file), full)
        elif file.startswith("docs/site/"):
            to = page_of_text(file)
        elif file in self.page_of:
            to = self.page_of[file]
        elif os.path.isdir(os.path.join(ROOT, file)):
            return None
        elif os.path.exists(os.path.join(ROOT, file)):
            to = "files/" + file + ".md"
            self.extra.add(file)
        else:
            raise SystemExit("%s: links to %s, which does not exist" % (path, target))
        to = posixpath.relpath(to, posixpath.dirname(page) or ".")
        return to + ("#" + anchor if anchor else "")

    def document(self, path, page):
        out, fenced = [], False
        for line in read(path).split("\n"):
            if line.startswith("```"):
                fenced = not fenced
            if not fenced:
                line = re.sub(r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)", lambda m: self.markdown_link(m, path, page), line)
                if path not in ("CHANGELOG.md", "docs/migrating.md"):  # there names are of other versions
                    line = re.sub(r"(?<![`\w}])`(\w+)`(?!`)(?![^[]*\]\()", self.name_link, line)
            out.append(line)
        text = re.sub(r"Written by [^;.]*(?:`[^`]*`)?[^;.]*; do not edit\.\s*", "", "\n".join(out))  # for those who change it
        return ten_rows(fold_tables(text)) if path == "docs/bench/README.md" else fold_tables(text) if "/bench/" in path else text

    def name_link(self, found):
        """A name of the API, as code: a link to its description."""
        role = ROLES.get(self.kinds.get(found.group(1)))
        return "{c:%s}%s" % (role, found.group(0)) if role else found.group(0)

    def markdown_link(self, found, path, page):
        to = self.link(path, page, found.group(3))
        return found.group(2) if to is None else "%s[%s](%s)" % (found.group(1), found.group(2), to)

    def documents(self):
        for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
            if name.endswith(".md") and "docs/" + name not in DOCUMENTS:
                raise SystemExit("tools/site.py: DOCUMENTS does not list docs/%s" % name)
        for path, page in DOCUMENTS.items():
            write(page, self.document(path, page))
        for folder, _, names in os.walk(TEXTS):
            for name in names:
                full = os.path.relpath(os.path.join(folder, name), ROOT)
                page = page_of_text(full)
                if name.endswith(".md"):
                    write(page, self.expand(self.document(full, page), page))
        for file in sorted(self.extra):
            kind = {"c": "c", "h": "c", "sh": "sh", "py": "python"}.get(file.rsplit(".", 1)[-1], "text")
            write("files/" + file + ".md", "---\norphan: true\n---\n\n# %s\n\n````%s\n%s\n````\n" % (file, kind, read(file)))

    def expand(self, text, page):
        """`<!-- readme: Heading -->` stands for a part of README.md, `<!-- run: name -->` for a program."""
        def readme(found):
            parts = re.split(r"(?m)^## ", self.document("README.md", page))
            for part in parts:
                head, _, body = part.partition("\n")
                if head.strip() == found.group(1).strip() or (found.group(1).strip() == "Sett" and part.startswith("# Sett")):
                    # A paragraph comes first; the picture and its caption stand beside what follows.
                    return re.sub(r"\A(!\[.*\n\n\*.*\*)\n\n((?:(?!```).+\n)*)", r"\2\n:::{container} picture\n\1\n:::\n\n", body.strip()) + "\n"
            raise SystemExit("%s: README.md has no part '%s'" % (page, found.group(1)))
        text = re.sub(r"<!-- readme: (.*?) -->", readme, text)
        text = re.sub(r"<!-- live: (.*?) -->", lambda m: self.live(m, path_of_text(page), page), text)
        text = text.replace("<!-- facts -->", facts_of_release())
        text = text.replace("<!-- headers -->", self.headers()) if "<!-- headers -->" in text else text
        return re.sub(r"<!-- run: (\w+) -->", lambda m: runnable(m.group(1)), text)

    def live(self, found, path, page):
        """What runs in the page, if tools/see.sh has made it; else its picture."""
        target, button, picture, words = [part.strip() for part in found.group(1).split("|")]
        image = self.link(path, page, "../pictures/" + picture)
        if not os.path.exists(os.path.join(SEE, target)):
            return "![%s](%s)" % (words, image)
        source = posixpath.relpath("_static/see/" + target, posixpath.dirname(page) or ".")
        return "```{raw} html\n<div class=\"live\" data-src=\"%s\" data-button=\"%s\"><img src=\"%s\" alt=\"%s\"></div>\n```" % (
            source, button, posixpath.relpath("_static/see/" + picture, posixpath.dirname(page) or "."), words)

    def headers(self):
        """The list in sett.h, as a table; and all pages of the reference."""
        head = next(h for h in self.api["headers"] if h["name"] == "sett.h")
        listed = next(t["code"] for t in head["doc"]["text"] if "code" in t)
        about = dict(re.split(r"  +", line, maxsplit=1) for line in listed.split("\n"))
        about.update({"base.h": "version, status codes, memory and log hooks", "id.h": "handles",
                      "loop.h": "loops over queries; a part of core.h", "typed.h": "short forms that take a C type; a part of core.h",
                      "command.h": "changes that are recorded and applied later; a part of core.h",
                      "group.h": "sets of entities that are kept up to date; a part of core.h", "sort.h": "sorting; a part of core.h",
                      "read.h": "what core.h inlines into programs", "sett.h": "all of them"})
        names = [h["name"] for h in self.api["headers"]]
        order = ["core.h", "typed.h", "loop.h", "command.h", "group.h", "sort.h"] + [n for n in about if n in names and n != "core.h"]
        order = list(dict.fromkeys(order + names))
        rows = "".join("| [%s](%s.rst) | %s |\n" % (n, n[:-2], about.get(n, "")) for n in order)
        toc = "".join("%s <%s>\n" % (n, n[:-2]) for n in order)
        return "| header | contents |\n|---|---|\n%s| [status codes](statuses.rst) | what calls return |\n\n```{toctree}\n:hidden:\n\n%sstatuses\n```\n" % (rows, toc)

    # ---- Programs ----

    def examples(self):
        lists = {"examples": [], "cookbook": []}
        for name, path in self.programs.items():
            text = read(path)
            title, words, code = head_of(text, name)
            kind = "cookbook" if "cookbook" in path else "examples"
            lists[kind].append((title, name, words))
            write(self.page_of[path], "# %s\n\n%s\n\n%s\n```c\n%s```\n\n`%s`\n" % (
                title, words, runnable(name) if runs(text) else "", code, path))
        for kind, items in lists.items():
            if kind == "cookbook":
                items.sort()
            head = read_page(kind + "/index.md") if os.path.exists(os.path.join(SOURCE, kind, "index.md")) else "# %s\n" % kind.title()
            titles = {name: title for title, name, _ in items}
            listed = " ".join(re.findall(r"<!-- recipes: (.*?) -->", head)).split()
            rows = "" if listed else links(titles, titles)
            wrong = [name for name in sorted({*titles, *listed}) if listed.count(name) != (name in titles)]
            if listed and wrong:
                raise SystemExit("docs/site/%s.md does not list each program once: %s" % (kind, " ".join(wrong)))
            head = re.sub(r"<!-- recipes: (.*?) -->", lambda m: "\n\n" + links(m.group(1).split(), titles), head)
            names = [name for _, name, _ in items]
            if kind == "examples":
                rows += "- [Freedoom: 68 maps in one world](freedoom.md)\n"
                names.append("freedoom")
            toc = "\n```{toctree}\n:hidden:\n\n%s```\n" % "".join(name + "\n" for name in names)
            write(kind + "/index.md", head + "\n" + rows + toc)

    # ---- Reference ----

    def words(self, text):
        """A sentence of a comment as reStructuredText, with links."""
        out, at = [], 0
        pattern = r"`([^`]+)`|\b(sett_\w+|SETT_\w+)\b(\(\))?|\b([A-Z][A-Z_]{2,})\b|\b(docs/)?(\w+)\.(h|md)\b"
        for found in re.finditer(pattern, text):
            token, quoted, name, status, file = found.group(0), found.group(1), found.group(2), found.group(4), found.group(6)
            link = None
            if quoted:
                link = "``%s``" % quoted
            elif name:
                role = ROLES.get(self.kinds.get(name))
                link = ":c:%s:`%s`" % (role, name) if role else "``%s``" % token
            elif status and status in self.api["statuses"]:
                link = ":ref:`%s <status-%s>`" % (status, status.lower())
            elif file:
                path = ("include/sett/" if found.group(7) == "h" else "docs/") + file + "." + found.group(7)
                if path in self.page_of:
                    link = ":doc:`%s </%s>`" % (token, self.page_of[path].rsplit(".", 1)[0])
            if link is None:
                continue
            apart = found.start() and text[found.start() - 1] not in " '\"([{<-/:"
            out += [escape(text[at : found.start()]), "\\ " if apart else "", link]
            at = found.end()
            if at < len(text) and text[at] not in " '\")]}>-/:.,;!?":
                out.append("\\ ")
        return "".join(out + [escape(text[at:])])

    def blocks(self, blocks, indent=""):
        out = []
        for block in blocks:
            if "paragraph" in block:
                out.append(indent + self.words(block["paragraph"]) + "\n")
            else:
                for kind, code in parts_of_code(block["code"]):
                    out += ["%s.. code-block:: %s" % (indent, kind), indent + "   :force:", ""]
                    out += [indent + "   " + line for line in code.split("\n")] + [""]
        return out

    def facts(self, doc, indent):
        """Parameters and contract, as a table."""
        rows = []
        for parameter in doc.get("parameters", []):
            rows.append((", ".join("``%s``" % n for n in parameter["names"]), [indent + "       " + self.words(parameter["text"]) + "\n"]))
        for key in ("returns", "fails", "cost", "invalidates", "threads", "since"):
            blocks = [dict(b) for b in doc.get(key, [])]
            if blocks:
                first = blocks[0].get("paragraph", "")
                if key == "returns" and first.startswith("Returns "):
                    blocks[0]["paragraph"] = first[8:9].upper() + first[9:]
                rows.append((key.title(), self.blocks(blocks, indent + "       ")))
        if not rows:
            return []
        out = [indent + ".. list-table::", indent + "   :class: facts", indent + "   :widths: 16 84", ""]
        for name, cell in rows:
            out += [indent + "   * - " + name, indent + "     - " + cell[0].strip(), ""] + cell[1:]
        return out + [""]

    def item(self, items):
        """One directive for those that share a comment and a kind."""
        first = items[0]
        kind = first["kind"]
        signatures = []
        for item in items:
            if kind == "function":
                inside = ", ".join(declared(p["type"], p["name"]) for p in item["parameters"]) or "void"
                signatures.append(declared(item["result"], "%s(%s)" % (item["name"], inside)))
            elif kind == "macro":
                signatures.append(item["name"] + (item["arguments"] or ""))
            elif kind == "type":
                signatures.append(item["name"] if item["type"] == "opaque" else declared(item["type"], item["name"]))
            else:
                signatures.append(item["name"])
        indent = "   "
        if not first["name"]:
            out, indent = ["**Constants**", ""], ""
        else:
            directive = ".. c:%s:: " % kind
            out = [directive + signatures[0]] + [" " * len(directive) + s for s in signatures[1:]]
            if first.get("shadows"):
                out.append(indent + ":noindex:")
            out.append("")
        doc = first["doc"]
        if doc:
            out += self.blocks(doc["text"], indent) + self.facts(doc, indent)
        else:
            plain = [i["name"].lower() for i in items]
            known = [n for n in plain if self.kinds.get(n) == "function"]
            if kind == "macro" and known:
                out += [indent + "The typed form of " + ", ".join(":c:func:`%s`" % n for n in known) + ": takes a C type ``T``, whose id is ``T_id``.", ""]
        if kind == "macro" and first["value"] and first["value"].isdigit():
            out += [indent + "Value: ``%s``." % first["value"], ""]
        if first.get("binding"):
            out += [indent + "For bindings: ``%s``." % first["binding"], ""]
        for member in first.get("members", []):
            name = declared(member["type"], member["name"]) if member["type"] else member["name"]
            out += [indent + "``%s``" % name, indent + "   " + (self.words(member["text"]) or "\\ "), ""]
        return out

    def reference(self):
        for header in self.api["headers"]:
            name = header["name"]
            items = [i for i in self.api["items"] if i["header"] == name]
            groups = []
            for item in items:
                last = groups[-1][-1] if groups else None
                same = last and last["kind"] == item["kind"] and item["group"] is not None and last["group"] == item["group"]
                bare = last and item["kind"] == last["kind"] == "macro" and item["doc"] is None and last["doc"] is None \
                    and self.kinds.get(item["name"].lower()) == self.kinds.get(last["name"].lower()) == "function"
                if (same or bare) and last.get("shadows") == item.get("shadows") and item["kind"] not in ("struct", "enum"):
                    groups[-1].append(item)
                else:
                    groups.append([item])
            # Undocumented macros are of no use to a reader, unless a function explains them.
            groups = [g for g in groups if g[0]["kind"] != "macro" or g[0]["doc"] or self.kinds.get(g[0]["name"].lower()) == "function"]
            out = [name, "=" * len(name), ""] + self.blocks(without_title(header["doc"]["text"], name))
            section = ""
            for group in groups:
                if group[0]["section"] != section:
                    section = group[0]["section"]
                    title = section[:1].upper() + section[1:]
                    out += [title, "-" * len(title), ""]
                out += self.item(group)
            write("reference/%s.rst" % name[:-2], "\n".join(out) + "\n")
        out = ["Status codes", "============", "", self.words(
            "What a call that can fail returns (sett_status), or what sett_world_error() has if it returns something else."), ""]
        for status, text in self.api["statuses"].items():
            out += [".. _status-%s:" % status.lower(), "", "``SETT_STATUS_%s``" % status, "   " + self.words(text), ""]
        write("reference/statuses.rst", "\n".join(out))
        # All functions at a glance.
        out = ["All functions", "=============", "", ".. list-table::", "   :header-rows: 1", "   :class: overview", "   :widths: 32 24 18 26", "",
               "   * - Function", "     - Cost", "     - Threads", "     - Invalidates"]
        for item in sorted(self.api["items"], key=lambda i: i["name"]):
            if item["kind"] == "function" and item["doc"]:
                cells = [" ".join(self.words(b["paragraph"]) for b in item["doc"].get(k, []) if "paragraph" in b) for k in ("cost", "threads", "invalidates")]
                out += ["   * - :c:func:`%s`" % item["name"]] + ["     - " + c for c in cells]
        write("reference/functions.rst", "\n".join(out) + "\n")


def path_of_text(page):
    return "docs/site/" + page


def page_of_text(path):
    name = path[len("docs/site/"):]
    return {"home.md": "index.md", "cookbook.md": "cookbook/index.md", "examples.md": "examples/index.md",
            "concepts.md": "concepts/index.md", "reference.md": "reference/index.md"}.get(name, name)


def read_page(page):
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        return file.read()


def parts_of_code(code):
    """What is indented in a comment: C, or a table in plain text."""
    parts = []
    for part in code.split("\n\n"):
        lines = [line for line in part.split("\n") if line.strip()]
        is_c = sum(bool(re.search(r"[;{}]|\\$|^\s*(SETT_|#)", line)) for line in lines) * 2 >= len(lines) \
            and not re.search(r"[`']|\S +#", part)
        kind = "c" if is_c else "text"
        if parts and parts[-1][0] == kind:
            parts[-1] = (kind, parts[-1][1] + "\n\n" + part)
        else:
            parts.append((kind, part))
    return parts


def stand_alone():
    """Debian's furo wants a server that has other packages: a module, which a page from a file cannot
    load, becomes a part of the script, and a style sheet of the machine a part of the style sheet. Its
    style sheet has lost the rules for machines that are set to dark pages."""
    folder = os.path.join(SITE, "_static")

    def change(name, work):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(work(text))

    def script(text):
        if not text.startswith("import Gumshoe"):
            return text
        with open(os.path.join(folder, "scripts", "gumshoe-patched.js"), encoding="utf-8") as file:
            # A page without parts has no last item.
            part = file.read().replace("if (isAtBottom()", "if (item && isAtBottom()")
        return part + text.partition("\n")[2]

    def style(text):
        found = re.match(r"@import url\(/javascript/(.*?)\);", text)
        path = "/usr/share/javascript/" + found.group(1) if found else ""
        if not os.path.exists(path):
            return text[found.end():] if found else text
        with open(path, encoding="utf-8") as file:
            return file.read() + text[found.end():]

    def dark(text):
        """The colours of the dark theme, also for who has asked the system for them."""
        rules = re.findall(r'body\[data-theme="?dark"?\] ?\{[^}]*\}', text)
        if "prefers-color-scheme" in text or not rules:
            return text
        asked = "".join(rule.replace(rule[:rule.index("]") + 1], 'body[data-theme="auto"]') for rule in rules)
        return text + "\n@media (prefers-color-scheme: dark) { @media not print { %s } }\n" % asked

    change("scripts/furo.js", script)
    change("styles/furo.css", lambda text: dark(style(text)))


def fold_tables(text):
    """Long tables are closed until they are asked for."""
    def fold(found):
        rows = found.group(0).strip().count("\n") - 1
        return found.group(0) if rows <= 12 else "<details><summary>Table of %d rows</summary>\n\n%s\n</details>\n\n" % (rows, found.group(0).strip() + "\n")
    return re.sub(r"(?m)(?:^\|.*\n)+", fold, text)


# The rows of the large table that the page of measurements begins with, and its columns.
FIRST_ROWS = ("create with 2 components", "the same in bulk", "destroy with 2, in order", "add + remove one (pair), 1M random",
              "get 2 by id, random order", "has, random order", "P += V dt, 1M", "random 50 % has V (match)", "7 systems, mixed entities",
              "tree 10 x 10 x 20")
FIRST_COLUMNS = ("ns", "pico", "EnTT", "flecs", "**Sett**", "**tuned**")


def ten_rows(text):
    """The page of measurements: ten rows first, then the words and all tables."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"(?m)^\|.*\|$", text)]
    head = next((row for row in rows if row[0] == "ns" and "flecs" in row), None)
    if head is None:
        return text
    table = [row for row in rows[rows.index(head) + 2:] if len(row) == len(head)]
    chosen = [row for name in FIRST_ROWS for row in table if row[0].startswith(name)][:10]
    chosen += [row for row in table if row not in chosen][:10 - len(chosen)]
    pick = [head.index(name) for name in FIRST_COLUMNS]
    lines = ["| %s |" % " | ".join(row[k].replace(" **!**", "") for k in pick) for row in [head, ["---"] + ["--:"] * (len(head) - 1)] + chosen]
    title, _, rest = text.partition("\n")
    return "%s\n\nNanoseconds an operation, from [the table](#the-table); less is better. *tuned*: the storage that suits the row.\n\n%s\n\n%s" % (
        title, "\n".join(lines), rest)


def links(names, titles):
    return "".join("- [%s](%s.md)\n" % (titles[name], name) for name in names)


def escape(text):
    return re.sub(r"([\\*`|]|_(?!\w))", r"\\\1", text)


def declared(c_type, name):
    if "(*)" in c_type:
        return c_type.replace("(*)", "(*%s)" % name, 1)
    base, bracket, size = c_type.partition("[")
    return "%s %s%s%s" % (base.strip(), name, bracket, size)


def without_title(blocks, name):
    blocks = [dict(b) for b in blocks]
    if blocks and "paragraph" in blocks[0]:
        text = re.sub(r"^(Sett: .*)?" + re.escape(name) + r": ", "", blocks[0]["paragraph"])
        blocks[0]["paragraph"] = text[:1].upper() + text[1:]
    return blocks


def head_of(text, name):
    """The comment at the head of a program: its title, the rest, and the code below."""
    found = re.match(r"/\*(.*?)\*/\n", text, re.S)
    lines = [re.sub(r"^\s*\* ?", "", line).strip() for line in found.group(1).strip().split("\n")]
    title, _, rest = " ".join(line or "\n\n" for line in lines).partition(".\n\n" if "\n\n" in " ".join(line or "\n\n" for line in lines) else "\0")
    title = re.sub(r"^\w+\.c: ", "", title)
    parts = " ".join(line or "\n\n" for line in lines)
    parts = re.sub(r"^\w+\.c: ", "", parts)
    if "\n\n" in parts:
        title, _, rest = parts.partition("\n\n")
        title = title.strip().rstrip(".")
    else:
        title, _, rest = parts.partition(". ")
    return title[:1].upper() + title[1:], rest.strip(), text[found.end():].lstrip("\n")


def runs(code):
    """Whether a page can run it: a page has no shared libraries to load, and no signals."""
    return "<dlfcn.h>" not in code and "<signal.h>" not in code


def programs_of_texts():
    """Whole programs in the pages and in README.md, which the pages run: name -> C."""
    out = {}
    for folder, _, names in [(ROOT, [], ["README.md"])] + list(os.walk(TEXTS)):
        for name in names:
            text = read(os.path.join(folder, name)) if name.endswith(".md") else ""
            whole = [c for c in re.findall(r"(?ms)^```c\n(.*?)^```", text) if "int main(" in c]
            marks = re.findall(r"<!-- run: (\w+) -->", text)
            if name == "README.md":
                out["readme"] = whole[0]
            elif marks and name != "home.md":
                out[marks[0]] = whole[0]
    return out


def runnable(name):
    return '```{raw} html\n<div class="run" data-program="%s"></div>\n```\n' % name


def facts_of_release():
    """Version, licence, where to get it: the clone's own address, if it has one."""
    version = ".".join(re.findall(r"SETT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", read("include/sett/base.h")))
    origin = subprocess.run(["git", "-C", ROOT, "config", "--get", "remote.origin.url"], capture_output=True, text=True).stdout.strip()
    origin = os.environ.get("SETT_REPOSITORY") or re.sub(r"^git@([^:]+):", r"https://\1/", re.sub(r"\.git$", "", origin))
    facts = ["Version %s" % version, "MIT licence", "[Install](start/install.md)", "[See it](see.md)"]
    return " · ".join(facts + (["[Repository](%s)" % origin] if origin.startswith("https://") else []))


class Sentences(HTMLParser):
    """The first sentence of a page, "", and of each part and name in it, by id."""

    def __init__(self):
        super().__init__()
        self.found, self.waiting, self.text, self.inside, self.caption = {}, [], None, False, False

    def handle_starttag(self, tag, attributes):
        at = dict(attributes)
        if at.get("role") == "main":
            self.inside, self.waiting = True, [""]
        elif self.inside and tag in ("section", "dt", "span") and at.get("id"):
            self.waiting.append(at["id"])
        elif tag == "div":
            self.caption = "picture" in at.get("class", "")
        elif self.inside and tag == "p" and self.waiting and not self.caption:
            self.text = ""

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        self.caption = self.caption and tag != "div"
        if tag == "p" and self.text is not None:
            text = re.sub(r"\s+", " ", self.text.replace("¶", "")).strip()
            self.text = None
            if len(text) > 24 and not text.startswith("Version "):
                sentence = re.match(r".{12,}?[.](?= |$)|.*", text).group(0).rstrip(":")
                sentence = sentence if len(sentence) < 170 else sentence[:160].rsplit(" ", 1)[0] + " ..."
                self.found.update((name, sentence) for name in self.waiting)
                self.waiting = []


def sentences():
    """For the search page: _static/sentences.js."""
    found = {}
    for folder, _, names in os.walk(SITE):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                reader = Sentences()
                with open(path, encoding="utf-8") as file:
                    reader.feed(file.read())
                page = os.path.relpath(path, SITE)[:-5]
                found.update((page + ("#" + part if part else ""), text) for part, text in reader.found.items())
    with open(os.path.join(SITE, "_static", "sentences.js"), "w", encoding="utf-8") as file:
        file.write("const sentences = %s;\n" % json.dumps(found, ensure_ascii=False, separators=(",", ":")))


# ---- Checks --------------------------------------------------------------------------------------


def check_lists():
    """Every page stands in a list of pages, every list and the search name pages that there are."""
    listed, bad = {"index"}, 0
    pages = {os.path.relpath(os.path.join(folder, name), SOURCE).rsplit(".", 1)[0]
             for folder, _, names in os.walk(SOURCE) for name in names if name.endswith((".md", ".rst"))}
    for page in pages:
        path = os.path.join(SOURCE, page)
        text = read_page(page + (".md" if os.path.exists(path + ".md") else ".rst"))
        for found in re.finditer(r"(?ms)^```\{toctree\}\n(.*?)^```", text):
            for line in re.findall(r"(?m)^(?!:)\S.*$", found.group(1)):
                name = re.sub(r".*<(.*)>", r"\1", line)
                listed.add(posixpath.normpath(posixpath.join(posixpath.dirname(page), name)))
        if text.startswith("---\norphan: true"):
            listed.add(page)
    for page in sorted(pages - listed):
        bad += 1
        print("tools/site.py: no list of pages has %s" % page)
    meant = set(re.findall(r" > (\w+/\w+(?:/\w+)?)", read("docs/site/static/find.js")))
    for page in sorted((listed | meant) - pages):
        bad += 1
        print("tools/site.py: there is no page %s, which a list or docs/site/static/find.js names" % page)
    return bad


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.to, self.ids = [], set()

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("href", "src") and value:
                self.to.append(value)
            elif key in ("id", "name") and value:
                self.ids.add(value)


def check_links():
    """Every link between pages leads to a page, and to a place in it. Links to elsewhere are printed, and
    only their form is checked: a build needs no network."""
    pages, bad, count, elsewhere = {}, 0, 0, set()
    for folder, _, names in os.walk(SITE):
        if "/_static/see" in folder:  # pages of their own
            continue
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                pages[path] = Links()
                pages[path].feed(open(path, encoding="utf-8").read())
    for path, page in pages.items():
        for to in page.to:
            if re.match(r"[a-z]+:", to):
                if not re.fullmatch(r"https://([\w-]+\.)+[a-z]+(/[\w./~-]*)?(#[\w-]+)?|data:image/.*", to, re.S):
                    bad += 1
                    print("%s: links to %s, which is no address" % (os.path.relpath(path, SITE), to))
                elif to.startswith("https:"):
                    elsewhere.add(to)
                continue
            count += 1
            name, _, anchor = unquote(to).partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(path), name.split("?")[0])) if name else path
            missing = not os.path.exists(file) or anchor and file in pages and anchor not in pages[file].ids
            if missing:
                bad += 1
                print("%s: links to %s, which does not exist" % (os.path.relpath(path, SITE), to))
    print("%d pages, %d links, %d of them broken; not followed: %s" % (len(pages), count, bad, " ".join(sorted(elsewhere))))
    return bad


def main():
    shutil.rmtree(SOURCE, ignore_errors=True)
    pages = Pages()
    pages.documents()
    pages.examples()
    pages.reference()
    shutil.copyfile(os.path.join(TEXTS, "conf.py"), os.path.join(SOURCE, "conf.py"))
    shutil.copytree(os.path.join(TEXTS, "static"), os.path.join(SOURCE, "_static"))
    shutil.copy(os.path.join(ROOT, "tools", "wasi.js"), os.path.join(SOURCE, "_static"))
    if os.path.isdir(SEE):
        shutil.copytree(SEE, os.path.join(SOURCE, "_static", "see"))
        for picture in ("rewind.gif", "inspector_scene.png"):
            shutil.copy(os.path.join(ROOT, "docs", "pictures", picture), os.path.join(SOURCE, "_static", "see"))
    if check_lists() != 0:
        return 1
    if "--pages" in sys.argv:
        return 0
    bad = subprocess.run([os.path.join(ROOT, "tools", "check_documents.py")]).returncode
    files = [os.path.join(ROOT, path) for path in pages.programs.values() if runs(read(path))]
    for name, code in programs_of_texts().items():
        write("programs/%s.c" % name, code)
        files.append(os.path.join(SOURCE, "programs", name + ".c"))
    subprocess.run([os.path.join(ROOT, "tools", "wasm_programs.sh"), SITE + "-programs"] + files, check=True)
    shutil.copytree(SITE + "-programs", os.path.join(SOURCE, "_static", "programs"),
                    ignore=shutil.ignore_patterns("programs.c", "programs.new"))
    shutil.rmtree(SITE, ignore_errors=True)
    command = ["sphinx-build", "-q", "-W", "--keep-going", "-j", "2", "-d", SOURCE + "-cache", SOURCE, SITE]
    built = subprocess.run(command).returncode == 0
    stand_alone()
    sentences()
    if not built or check_links() + bad != 0:
        return 1
    print("site: %d pages, of the headers, the documents and the programs" % sum(name.endswith(".html") for _, _, names in os.walk(SITE) for name in names))
    print("site: open build/site/index.html, or serve the folder")
    print("site: links to other hosts, which were not followed, are in build/log/site.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
