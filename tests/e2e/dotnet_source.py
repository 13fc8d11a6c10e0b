# SPDX-License-Identifier: BSD-2-Clause
"""Finds the lines of fixtures/dotnet/nesting*.cs at which the leaf of a stack can be.

These are the lines with a statement, and the closing brace of a finally block or of a method
without statements. No two of these lines are adjacent, so a line that is off by one is not among
them.
"""

import os
import re

from lib import TOP

SOURCES = [os.path.join(TOP, "fixtures/dotnet", name) for name in ("nesting.cs", "nesting.library.cs")]
LARGE = range(4, 1813, 2)  # as large() in ci/dotnet prints them: every other line
METHOD = re.compile(r"(?P<type>[\w>\]*?]+ )?(?P<name>\w+)(?:<\w+>)?\([^()]*\)(?: where [^{;]*)?$")
NO_CODE = re.compile(r"|[{}]|try|finally|\[.*\]|#.*|(?:else )?\{|.*\) where .*")


def place(frame):
    return os.path.basename(frame.get("file") or ""), frame.get("line")


def block_end(lines, i):
    """Returns the index of the closing brace of the block whose head is line @i."""
    tabs = re.match("\t*", lines[i])[0]
    return next(k for k in range(i + 1, len(lines)) if lines[k].startswith(tabs + "}"))


class Source:
    """Finds the lines of each method: {(file, method): set}. The name of a method is plain
    (dotnet_truth.py)."""

    def __init__(self, paths=None):
        self.lines, self.marks, self.loops, self.finals = {}, {}, set(), set()
        for path in paths or SOURCES:
            with open(path, encoding="utf-8") as file:
                self._read(os.path.basename(path), file.read().splitlines())
        self.lines["large.cs", "Large.Run"] = set(LARGE)

    def _read(self, name, lines):
        outer = []  # open types and namespaces, as (indentation, name)
        for i, line in enumerate(lines):
            indent = len(line) - len(line.lstrip("\t"))
            code = line.split("//")[0].strip()
            if code.startswith(("for ", "foreach ")):
                self.loops.add((name, i + 1))
            if code == "finally":
                self.finals.update((name, n + 1) for n in range(i + 1, block_end(lines, i) + 1))
            mark = re.search(r"// @(\w+)", line)
            if mark:
                self.marks[mark[1]] = i + 1
            if code and code[0] not in '{#':
                outer = [o for o in outer if o[0] < indent]
            kind = re.search(r"(?:namespace|class) (\w+)", code)
            if kind:
                outer.append((indent, kind[1]))
                continue
            method = METHOD.search(code)
            if method and len(lines) > i + 1 and lines[i + 1].strip() == "{" and outer:
                self._method(name, lines, i, ".".join(o[1] for o in outer), method)

    def _method(self, name, lines, i, outer, method):
        end = block_end(lines, i)
        is_ctor = outer.split(".")[-1] == method["name"]
        found = {k + 1 for k in range(i + 1, end)
                 if not NO_CODE.fullmatch(lines[k].split("//")[0].strip())}
        found.update(block_end(lines, k) + 1 for k in range(i + 1, end) if lines[k].strip() == "finally")
        if is_ctor or not lines[end - 1].strip():
            found.add(end + 1)
        if is_ctor:
            found.add(i + 1)
        key = name, f"{outer}.{'.ctor' if is_ctor else method['name']}"
        self.lines.setdefault(key, set()).update(found)

    def is_line(self, frame, name):
        """Returns whether the frame is at a line of the method with the plain name @name. A lambda
        may be at the lines of its method."""
        key = os.path.basename(frame.get("file") or ""), name.removesuffix(".lambda")
        return frame.get("line") in self.lines.get(key, ())

    def is_loop(self, frame):
        return place(frame) in self.loops

    def is_final(self, frame):
        """Returns whether the frame's line is in a finally block."""
        return place(frame) in self.finals
