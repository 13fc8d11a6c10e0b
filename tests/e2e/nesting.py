# SPDX-License-Identifier: BSD-2-Clause
"""The judge: can this stack be one of a program of fixtures/node/known?

What can be stands in the programs themselves (see run.js there). A stack here is what
was sampled, outermost first: a list of (name, file, line). Only the frames of those
programs are judged; builtins and Node.js itself may stand between them.

A program's own terms are the lines of its file, also for what it makes of text (eval) and
for what a bundle (bundle.py) has of it; WebAssembly has the file WASM and no lines.
"""

import os
import re
from dataclasses import dataclass


WASM = "(wasm)"


@dataclass(frozen=True)
class Step:
    """One level of a path: a function, and the lines at which it calls the next."""

    name: str
    file: str
    calls: frozenset  # line numbers; empty at the innermost
    first: int
    last: int


def _functions(lines):
    """{name: (first line, last line)} by the remarks `// = NAME`."""
    found = {}
    for i, line in enumerate(lines):
        match = re.search(r"//.*?= ([^@]+)$", line)
        if not match or not line.split("//")[0].strip():
            continue
        indent = re.match(r"\s*", line).group()
        end = next(k for k in range(i + 1, len(lines))
                   if re.match(re.escape(indent) + r"}", lines[k]))
        assert match.group(1) not in found, match.group(1)
        found[match.group(1)] = (i + 1, end + 1)
    return found


def _marks(lines):
    found = {}
    for number, line in enumerate(lines, 1):
        for mark in re.findall(r"[^\s/].*// @(\w+)", line):
            assert mark not in found, mark
            found[mark] = number
    return found


class Program:
    """The paths of one file; @outer is the program that calls it."""

    def __init__(self, path, outer=None):
        with open(path, encoding="utf-8") as source:
            lines = source.read().splitlines()
        self.path, self.outer = path, outer
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
                steps.append(Step(name, WASM, frozenset([None]), 0, 1))
                continue
            owner = self if name in self.functions else self.outer
            calls = frozenset(owner.marks[m] for m in marks.split("|")) if marks else frozenset()
            steps += [Step(name, owner.path, calls, *owner.functions[name])] * int(times or 1)
        return steps


class Judge:
    """Knows every program of a folder, and bundles of them."""

    def __init__(self, folder, bundles=()):
        run = Program(os.path.join(folder, "run.js"))
        self.paths = [[Step("tick", run.path, frozenset(), *run.functions["tick"])]]
        self.files, self.evals = {run.path}, {}
        self.bundles = {bundle.path: bundle for bundle in bundles}
        for entry in sorted(os.listdir(folder)):
            path = os.path.join(folder, entry)
            if path != run.path and entry.endswith(".js"):
                program = Program(path, run)
                self.files.add(path)
                self.evals.update({name: (path, shift) for name, shift in program.evals.items()})
                self.paths += program.paths

    def locate(self, frame):
        """(name, file, line) in the program's own terms; None: not a frame of the programs.

        The file is None where a bundle has a function of that name, perhaps several.
        """
        name, file, line = frame.get("name"), frame.get("file"), frame.get("line")
        if frame["kind"] == "wasm":
            return name, WASM, None
        if frame["kind"] != "js":
            return None
        if name in self.evals and file and file.startswith("eval at "):
            path, shift = self.evals[name]
            known = any(f" ({asker}:" in file for asker in (path, *self.bundles))
            return (name, path, line and line + shift) if known else None
        if file in self.bundles and not frame.get("column"):
            return name, None, None  # all of it is in one line
        if file in self.bundles:
            return name, *self.bundles[file].origin(line, frame["column"])
        return (name, file, line) if file in self.files else None

    def _candidates(self, stack):
        return [path for path in self.paths if len(path) >= len(stack) and
                all(step.name == name and file in (step.file, None)
                    for step, (name, file, _) in zip(path, stack))]

    def names_exact(self, stack):
        return bool(self._candidates(stack))

    def lines_exact(self, stack, but_innermost=False):
        """Every caller at a line of its call to the next, the innermost within its function."""
        lines = [line for _, _, line in stack]
        return any(all(line in step.calls for line, step in zip(lines[:-1], path))
                   and (but_innermost or path[len(lines) - 1].first <= (lines[-1] or 0)
                        <= path[len(lines) - 1].last)
                   for path in self._candidates(stack))

    def has_gap(self, stack):
        """Is it true but for frames that are missing between the outermost and the innermost?"""
        def is_part(path):
            rest = iter((s.name, s.file) for s in path)
            return all(frame[:2] in rest for frame in stack)

        return any(is_part(path) for path in self.paths)
