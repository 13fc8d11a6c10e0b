#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Finds circles of includes and calls among the modules that git tracks.

  circles.py              prints each circle of more than LIMIT modules; exit 1 if there is one
  circles.py --graph DIR  prints the uses among modules of a folder, and its circles of every size
  circles.py --self-test  proves that circles are found, and that a chain is not a circle

A module is x.c and x.h of one folder. It uses another module if its header includes the other's
header, or if its code names a function or object of the other that has external linkage. The
modules of a circle use one another directly or indirectly, so none of them can be read, tested or
moved alone.
"""

import os
import posixpath
import re
import subprocess
import sys

LIMIT = 3
TOPS = ("core", "bpf", "inspect", "loader", "sim")

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
FUNCTION = re.compile(r"^(?!static\b|typedef\b)[A-Za-z_][\w \t*]*?\b(\w+)\([^;{}]*\)\n\{", re.M)
OBJECT = re.compile(r"^(?!static\b|typedef\b|extern\b)(?:const |struct |char |u\d+ |int )+"
                    r"[\w *]*?\b(\w+)(?:\[[^\n;]*\])? =", re.M)
BLANK = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)


def blank(text):
    """Returns @text without comments and strings."""
    return BLANK.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def module_of(path):
    return posixpath.splitext(path)[0]


def included(path, name, paths):
    """Returns the tracked files that `#include "name"` in @path can mean."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    if beside in paths:
        return [beside]
    found = [p for p in paths if p.endswith("/" + name)]
    return found if len(found) == 1 else []


def graph(files):
    """Returns {module: modules that it uses}, from {path: text}."""
    uses = {module_of(path): set() for path in files}
    bare = {path: blank(text) for path, text in files.items()}
    owners = {}
    for path, text in bare.items():
        if path.endswith(".c"):
            for name in FUNCTION.findall(text) + OBJECT.findall(text):
                owners.setdefault(name, set()).add(module_of(path))
    for path, text in files.items():
        mine = uses[module_of(path)]
        for name in INCLUDE.findall(text) if path.endswith(".h") else ():
            mine.update(module_of(found) for found in included(path, name, files))
        named = re.sub(r"\b(struct|enum|union)\s+\w+", "", bare[path])
        for word in set(re.findall(r"\w+", named)) if path.endswith(".c") else ():
            if len(owners.get(word, ())) == 1 and not re.search(rf"^static [\w *]*\b{word}\(",
                                                                bare[path], re.M):
                mine.update(owners[word])
    for module, used in uses.items():
        used.discard(module)
    return uses


def circles(uses):
    """Returns the strongly connected components of more than one module (Tarjan's algorithm)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(uses[node]):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(uses):
        if node not in index:
            visit(node)
    return sorted((c for c in found if len(c) > 1), key=len, reverse=True)


def tracked(tops):
    listing = subprocess.run(["git", "ls-files", "-z", *tops], capture_output=True, check=True)
    paths = [p for p in listing.stdout.decode().split("\0") if p.endswith((".c", ".h"))]
    files = {}
    for path in filter(os.path.isfile, paths):
        with open(path, encoding="utf-8") as handle:
            files[path] = handle.read()
    return files


def lint():
    uses = graph(tracked(TOPS))
    bad = [circle for circle in circles(uses) if len(circle) > LIMIT]
    for circle in bad:
        print(f"{len(circle)} modules, more than {LIMIT}, use one another in a circle: "
              f"{' '.join(circle)}")
    print(f"{len(uses)} modules checked, {len(bad)} circles of more than {LIMIT} modules found")
    return len(bad) or not uses


def show(folder):
    uses = graph(tracked([folder]))
    for module, used in sorted(uses.items()):
        print(posixpath.basename(module), "->", *sorted(map(posixpath.basename, used)))
    for circle in circles(uses):
        print(f"{len(circle)} modules use one another in a circle: {' '.join(circle)}")
    return 0


def self_test():
    line = {"a/x.c": '#include "y.h"\nint f(void)\n{\n\treturn g("h()");\n}\n',
            "a/y.h": "int g(void); /* h() */\n", "a/y.c": "int g(void)\n{\n\treturn 1;\n}\n",
            "a/z.c": "int h(void)\n{\n\treturn f();\n}\n"}
    called = dict(line, **{"a/y.c": "int g(void)\n{\n\treturn h();\n}\n"})
    included_back = dict(line, **{"a/y.h": '#include "x.h"\nint g(void);\n', "a/x.h": "\n"})
    own = dict(line, **{"a/y.c": "static int h(void)\n{\n\treturn 1;\n}\nint g(void)\n{\n"
                        "\treturn h();\n}\n"})
    tag = dict(line, **{"a/y.c": "int g(void)\n{\n\tstruct h *p;\n}\n"})
    failed = [name for name, files, want in (
        ("a chain of modules is not reported as a circle", line, []),
        ("a circle of modules that a call closes is found", called, [["a/x", "a/y", "a/z"]]),
        ("a circle of modules that an include closes is found", included_back, [["a/x", "a/y"]]),
        ("a call of a static function of the same name closes no circle", own, []),
        ("a struct with the name of a function closes no circle", tag, []),
    ) if circles(graph(files)) != want]
    print(f"{5 - len(failed)} passed, {len(failed)} failed", *failed)
    return len(failed)


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    if sys.argv[1:2] == ["--graph"]:
        sys.exit(show(sys.argv[2]))
    sys.exit(bool(self_test() if sys.argv[1:] == ["--self-test"] else lint()))
