#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Respelled reasons: checks that docs/reference/statuses.md lists both spellings in
inspect/util/reasons.c, and that other sources contain only the present spelling.

  reasons.py              prints what is wrong; exit 1 if anything is wrong
  reasons.py --self-test  proves that each kind of mistake is found
"""

import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = "inspect/util/reasons.c"
DOC = "docs/reference/statuses.md"
FOLDERS = ("core", "inspect", "loader")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def sources():
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(TOP, folder)):
            for name in names:
                relative = os.path.relpath(os.path.join(path, name), TOP)
                if name.endswith((".c", ".h")) and relative != TABLE:
                    yield read(relative)


def problems(table, doc, source):
    pairs = set(re.findall(r'\{ "([^"]+)",\s*"([^"]+)" \}', table))
    listed = set(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", doc, re.M))
    literals = set(re.findall(r'"([^"\n]+)"', source))
    if not pairs:
        yield f"{TABLE}: the table of spellings was not found"
    for old, now in sorted(pairs - listed):
        yield f"{DOC}: the table lacks the row | `{old}` | `{now}` |"
    for old, now in sorted(listed - pairs):
        yield f"{TABLE}: the table lacks {{ \"{old}\", \"{now}\" }}, which {DOC} lists"
    for old, now in sorted(pairs):
        if old in literals:
            yield f"the sources contain the old spelling \"{old}\"; write \"{now}\""
        if now not in literals:
            yield f"{TABLE}: no source contains \"{now}\", the present spelling"


def self_test():
    table, doc, source = '{ "who is it", "unknown" },', "| `who is it` | `unknown` |\n", '"unknown"'
    cases = {
        "all agree": (table, doc, source, 0),
        "no table": ("", doc, source, 2),
        "the document lacks the row": (table, "", source, 1),
        "the document has another spelling": (table, doc.replace("unknown", "x"), source, 2),
        "a source has the old spelling": (table, doc, source + '"who is it"', 1),
        "no source has the present spelling": (table, doc, "", 1),
    }
    failed = [name for name, (t, d, s, n) in cases.items() if len(list(problems(t, d, s))) != n]
    for name in failed:
        print(f"FAILED: problems() finds a wrong number of problems if {name}")
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")
    return bool(failed)


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = list(problems(read(TABLE), read(DOC), "\n".join(sources())))
    print(*found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
