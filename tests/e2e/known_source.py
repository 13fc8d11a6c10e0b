# SPDX-License-Identifier: BSD-2-Clause
"""Reads the sources of fixtures/node/known: functions, marked calls and paths.

run.js in that folder explains the notation of the comments. This module does not depend on
profiles.
"""

import os
import re
from dataclasses import dataclass

WASM = "(wasm)"


@dataclass(frozen=True)
class Call:
    """A marked call: the line, the column that V8 reports for the call, and the word at that
    column."""

    line: int
    column: int
    by: str


@dataclass(frozen=True)
class Step:
    """One level of a path: a function, and the calls in it of the path's next function."""

    name: str
    file: str
    # Calls of the next function: none at the innermost level, one without a line in WebAssembly.
    marks: frozenset
    first: int
    last: int

    @property
    def calls(self):
        """Returns the lines of the calls."""
        return frozenset(call.line for call in self.marks)


def _functions(lines):
    """Returns {name: (first line, last line)} of the functions with a comment `// = NAME`."""
    found = {}
    for i, line in enumerate(lines):
        match = re.search(r"//.*?= ([^@]+)$", line)
        if not match or not code_of(line):
            continue
        indent = re.match(r"\s*", line).group()
        end = next(k for k in range(i + 1, len(lines))
                   if re.match(re.escape(indent) + r"}", lines[k]))
        assert match.group(1) not in found, match.group(1)
        found[match.group(1)] = (i + 1, end + 1)
    return found


def code_of(line):
    """Returns a line without its comment."""
    return re.sub(r"(^|\s)//.*$", "", line).strip()


def units(text):
    """Returns the length in UTF-16 units, as V8 counts columns."""
    return len(text.encode("utf-16-le")) // 2


def _marks(lines):
    found = {}
    for number, line in enumerate(lines, 1):
        for mark, text in re.findall(r"[^\s/].*// @(\w+)(?::(\S+))?", line):
            assert mark not in found, mark
            at = line.index(text) if text else len(line) - len(line.lstrip())
            by = text or re.match(r"\w*", line[at:]).group()
            found[mark] = Call(number, units(line[:at]) + 1, by)
    return found


class Program:
    """Returns the paths of one file; @outer is the program that calls this file's program."""

    def __init__(self, path, outer=None):
        with open(path, encoding="utf-8") as source:
            lines = source.read().splitlines()
        self.path, self.outer = path, outer
        self.code = [code_of(line) for line in lines]
        self.functions, self.marks = _functions(lines), _marks(lines)
        self.evals = {name: self.functions[name][0] - 1 - int(off or 0)
                      for line in lines
                      for off, name in re.findall(r"// eval(?:\+(\d+))? = (\S+)$", line)}
        self.wasm = {name for line in lines if line.startswith("// wasm:")
                     for name in line.split()[2:]}
        self.paths = [self._path(line.split("path:")[1])
                      for line in lines if line.startswith("// path:")]

    def _path(self, text):
        steps = []
        for part in text.split(">"):
            name, marks, times = re.fullmatch(
                r"\s*(.+?)(?:@([\w|]+))?(?: x (\d+))?\s*", part).groups()
            if name in self.wasm:
                steps.append(Step(name, WASM, frozenset([Call(None, None, "wasm")]), 0, 1))
                continue
            owner = self if name in self.functions else self.outer
            calls = frozenset(owner.marks[m] for m in marks.split("|")) if marks else frozenset()
            steps += [Step(name, owner.path, calls, *owner.functions[name])] * int(times or 1)
        return steps

    def text(self, line):
        """Returns the code of a line, "" if the line has none."""
        return self.code[line - 1] if line and 0 < line <= len(self.code) else ""


def threads(path):
    """Returns the programs that the threads of threads.js run: a tuple for each thread."""
    with open(path, encoding="utf-8") as source:
        return [tuple(re.findall(r"'(\w+)'", part))
                for part in re.findall(r"\[((?:'\w+'(?:, )?)+)\]", source.read())]


def programs(folder, names=None):
    """Returns {name: Program} of a folder, run.js first; with @names only run.js and these."""
    run = Program(os.path.join(folder, "run.js"))
    found = {"run": run}
    for entry in sorted(os.listdir(folder)):
        name = entry.removesuffix(".js")
        if entry.endswith(".js") and name != "run" and (names is None or name in names):
            found[name] = Program(os.path.join(folder, entry), run)
    return found
