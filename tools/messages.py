#!/usr/bin/env python3
"""All messages that the library can give, in one list.

  tools/messages.py            a line each: file:line, status, text
  tools/messages.py --check    what is wrong with them: capitals, full stops, length, words; fails also
                               if more than UNSEEN of them occur in no test
  tools/messages.py --unseen   those that occur in no test, nor in docs/misuse.md or docs/terms.md

They are the literals in calls that fail, report, reject or log, each read as one text.
SPDX-License-Identifier: MIT
"""
import glob
import os
import re
import sys

CALLS = re.compile(r"\b(?:setti|[a-z]+)_[a-z_]*(?:misuse|fail|report|reject|warn|log)[a-z_]*\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
LONGEST = 300  # characters; a line of a log
UNSEEN = 83  # messages that no test expects; a new message comes with a test

WRONG = [
    (re.compile(r"^(?:%s: )?[A-Z][a-z]"), "begins with a capital"),
    (re.compile(r"[^.]\.$"), "ends with a full stop"),
    (re.compile(r"\w!"), "exclaims"),
    (re.compile(r"\b(?:[Ee]rror|[Oo]ops|[Pp]lease|[Ii]llegal|[Ii]nvalid argument)\b"),
     "says that it is an error, not which"),
    (re.compile(r"  "), "has two spaces in a row"),
    (re.compile(r"\b(?:none that there is|that is there|is not there)\b"),
     "has to be read twice"),
]


def arguments(text, at):
    """The text between the parenthesis before `at` and its end."""
    depth, end, quoted = 1, at, False
    while depth and end < len(text):
        c = text[end]
        if quoted:
            end += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        else:
            depth += (c == "(") - (c == ")")
        end += 1
    return text[at:end - 1]


def split(call):
    """The arguments, at their commas."""
    parts, depth, quoted, begin = [], 0, False, 0
    for k, c in enumerate(call):
        if c == '"' and call[k - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (c in "([{") - (c in ")]}")
            if c == "," and depth == 0:
                parts.append(call[begin:k])
                begin = k + 1
    return parts + [call[begin:]]


def messages():
    """(file, line, status, text) of each, in the order of the files."""
    for path in sorted(glob.glob("src/*/*.[ch]")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), file.read(),
                          flags=re.S)
        for found in CALLS.finditer(text):
            call = arguments(text, found.end())
            status = re.search(r"SETT_(?:STATUS|LOG)_([A-Z_]+)", call)
            for part in split(call):
                # Of `a ? "x" : "y"` there are two.
                for side in re.split(r"[?:](?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", part):
                    said = "".join(LITERAL.findall(side)).replace('\\"', '"')
                    if " " in said.strip():
                        yield (path, text.count("\n", 0, found.start()) + 1,
                               status[1] if status else "", said)


def expected():
    """What tests expect: their literals, and the pages that tests write."""
    texts = []
    for pattern in ("test/**/*.[ch]", "test/*.inc", "test/*.cpp", "addons/*/test/**/*.[ch]",
                    "docs/misuse.md", "docs/terms.md"):
        for path in glob.glob(pattern, recursive=True):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if path.endswith(".md"):
                texts += text.split("\n")
                continue
            text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
            # Literals that only space separates are one text.
            for run in re.finditer(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*', text):
                texts.append("".join(LITERAL.findall(run[0])).replace('\\"', '"'))
    return texts


def unseen(said, tests):
    """Whether no test expects a message: none has its longest part, and none is inside of it."""
    parts = re.split(r"%[-.0-9*]*(?:ll|l|z)?[a-zA-Z]", said)
    longest = max(parts, key=len).strip(' :;,-"')
    if len(longest) < 8:
        return False  # the text is one of its arguments
    whole, pieces = tests
    return longest not in whole and not any(piece in part for part in parts for piece in pieces)


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    wrong = count = missing = 0
    literals = expected() if len(sys.argv) > 1 else []
    # Numbers and names in an expectation stand where the message has formats.
    pieces = {piece for text in literals for piece in re.split(r'[0-9]+|"[^"]*"', text)
              if len(piece.strip()) >= 10 and " " in piece.strip()}
    tests = ("\n".join(literals), pieces)
    for path, line, status, said in messages():
        count += 1
        is_unseen = len(sys.argv) > 1 and unseen(said, tests)
        missing += is_unseen
        if "--check" not in sys.argv:
            if "--unseen" not in sys.argv or is_unseen:
                print(f"{path}:{line}: {status or '-'}: {said}")
            continue
        reasons = [reason for pattern, reason in WRONG if pattern.search(said)]
        reasons += ["is too long"] * (len(said) > LONGEST)
        for reason in reasons:
            print(f"{path}:{line}: a message {reason}: {said}")
            wrong += 1
    if "--check" in sys.argv:
        print(f"  {count} messages, {missing} of which no test expects")
        if missing > UNSEEN:
            print(f"{missing} messages are in no test (--unseen lists them), {UNSEEN} are allowed")
            wrong += 1
    sys.exit(wrong != 0 or count == 0)


main()
