# SPDX-License-Identifier: BSD-2-Clause
"""The judge: decides whether a stack is a possible stack of a program in fixtures/node/known.

The sources of the programs define the possible stacks (known_source.py). `judge` takes all frames
of a sample, from the root to the leaf; whole.py has the rules for frames that are not the programs'
own. `names_exact` and `lines_exact` take only the frames of the programs, outermost first, as
(name, file, line).

Positions are translated to lines of the program's own file, also positions in code made from text
(eval) and in a bundle (bundle.py). WebAssembly has the file WASM and no lines.
"""

import os
from dataclasses import dataclass

import whole
from known_source import WASM, Step, programs


@dataclass(frozen=True)
class Verdict:
    """@own: the stack has frames of the programs. @at_call: the programs' innermost function is at
    a call of the path's next function."""

    own: bool
    names: bool
    lines: bool = False
    root: bool = False
    at_call: bool = False


class Judge:
    """Judges stacks of the programs in a folder, or of those with @names, and of bundles of
    them."""

    def __init__(self, folder, bundles=(), names=None):
        self.programs = {p.path: p for p in programs(folder, names).values()}
        run = next(iter(self.programs.values()))
        self.paths = [[Step("tick", run.path, frozenset(), *run.functions["tick"])]]
        self.evals = {}
        self.files, self.bundles = set(self.programs), {b.path: b for b in bundles}
        for program in self.programs.values():
            self.evals.update({name: (program.path, shift) for name, shift in program.evals.items()})
            self.paths += program.paths

    def place(self, frame):
        """Returns (name, file, line, column) in the program's own file, or None for a frame of
        other code. The file is None for a frame of a bundle without a column.
        """
        name, file, line = frame.get("name"), frame.get("file"), frame.get("line")
        column = frame.get("column")
        if frame["kind"] == "wasm":
            return name, WASM, None, None
        if frame["kind"] != "js":
            return None
        if name in self.evals and file and file.startswith("eval at "):
            path, shift = self.evals[name]
            known = any(f" ({asker}:" in file for asker in (path, *self.bundles))
            return (name, path, line and line + shift, column) if known else None
        if file in self.bundles and not column:
            return name, None, None, None  # a bundle is a single line
        if file in self.bundles:
            return name, *self.bundles[file].origin(line, column)
        return (name, file, line, column) if file in self.files else None

    def locate(self, frame):
        """Returns only name, file and line of place()."""
        found = self.place(frame)
        return found and found[:3]

    def _candidates(self, stack):
        return [path for path in self.paths if len(path) >= len(stack) and
                all(step.name == name and file in (step.file, None)
                    for step, (name, file, *_) in zip(path, stack))]

    def names_exact(self, stack):
        return bool(self._candidates(stack))

    def lines_exact(self, stack, but_innermost=False):
        """Returns whether every caller is at a line with a call of the next function, and the
        innermost frame at a line of its function."""
        lines = [frame[2] for frame in stack]
        return any(all(line in step.calls for line, step in zip(lines[:-1], path))
                   and (but_innermost or path[len(lines) - 1].first <= (lines[-1] or 0)
                        <= path[len(lines) - 1].last)
                   for path in self._candidates(stack))

    def judge(self, frames, thread="main"):
        """Returns the Verdict on a sample's frames, leaf first. @thread: main or worker."""
        outer = frames[::-1]
        tokens = [whole.token(f) for f in outer]
        own = [i for i, f in enumerate(outer) if self.place(f)]
        if any(i not in own and _is_of_a_program(f) for i, f in enumerate(outer)):
            return Verdict(True, False)
        if not own:
            return Verdict(False, False)
        stack = [self.place(outer[i]) for i in own]
        root = whole.is_root(tokens[:own[0]], thread, stack[0][0])
        if any(f["kind"] in ("js", "wasm") and not f.get("name") for f in frames):
            return Verdict(True, False, root=root)
        found = [path for path in self._candidates(stack)
                 if self._may_nest(path, own, tokens, outer)]
        above = tokens[own[-1] + 1:]
        is_deferred = above and whole.DEFERRED.fullmatch(above[0])
        line = None if is_deferred else stack[-1][2]
        names = bool(found) and self._may_end((*stack[-1][:2], line, None), above)
        is_top = not above or above[0].startswith("kernel")
        return Verdict(True, names, names and any(self._has_lines(p, stack) for p in found), root,
                       is_top and any(_is_at_call(p, stack) for p in found))

    def _may_nest(self, path, own, tokens, outer):
        return all(any(whole.may_call(tokens[a + 1:b], call.by, outer[a], outer[b])
                       for call in step.marks)
                   for step, a, b in zip(path, own, own[1:]))

    def _may_end(self, innermost, tokens):
        _, file, line, _ = innermost
        if file not in self.programs:  # WebAssembly, or a function in a bundle without a position
            return all(not t.startswith(("js ", "wasm ")) for t in tokens)
        program = self.programs[file]
        first, last = program.functions[innermost[0]]
        text = program.text(line) if line else "\n".join(program.code[first - 1:last])
        return whole.may_end(tokens, text, program.text(first))

    def _has_lines(self, path, stack):
        """Returns whether the lines and columns of all calls are right, and the leaf is at a line
        with code."""
        for step, (_, _, line, column) in zip(path, stack[:-1]):
            if not any((call.line, call.column) == (line, column) for call in step.marks):
                return False
        step, (_, file, line, _) = path[len(stack) - 1], stack[-1]
        return step.file == WASM or bool(
            line and step.first <= line <= step.last and file and self.programs[file].text(line))


def _is_of_a_program(frame):
    """Files of Node.js's own functions have no folder; the top level of an eval script has no
    name."""
    file = frame.get("file") or ""
    return frame["kind"] == "js" and (
        file.startswith(("/", "file:")) or
        file.startswith("eval at ") and frame.get("name") not in ("", "(anonymous)"))


def _is_at_call(path, stack):
    """Returns whether the innermost function is at its call of the path's next function."""
    _, _, line, column = stack[-1]
    return line is not None and any((call.line, call.column) == (line, column)
                                    for call in path[len(stack) - 1].marks)
