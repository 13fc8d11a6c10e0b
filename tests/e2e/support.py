# SPDX-License-Identifier: BSD-2-Clause
"""The document of what is exact where: one table a version, a row a program, a column a mode.

It is its own data: what a run measures is put into it, what it did not measure stays.
"""

import os
import re
from dataclasses import dataclass

NOTE = "V8 itself: "
GOALS = {"names": 99.9, "lines": 99.9, "complete": 99.5}

HEAD = """# What is exact, by version, mode and program

Measured on live processes (x86-64), some thousand samples a cell, of .NET some hundred: % of samples with
exact names / with exact names and lines / that are complete. What a sample must be is known from the program
itself; samples in prologues, epilogues and builtins count, too. Goals: {goals}.
Lines as `A + B`: B % more have every line but that of the innermost function, which was interrupted in Maglev code of
a V8 that keeps no line there (23); it is left out, with the reason, and anything else that is missing counts as missing.
A cell below one is in bold; an empty one was not measured, or the version or program has no such mode.

Node.js, by `ci/matrix` (`fixtures/node/known`):

* `default`: no flag
* `jitless`: `--jitless`, interpreted only
* `sparkplug`: `--always-sparkplug --no-opt --no-maglev`, baseline code only
* `maglev`: `--no-turbofan`, where V8 has Maglev by default
* `native-stack`: `--interpreted-frames-native-stack`

The programs of a version and mode run at once, and what the recorder's start costs counts. What
falls short in lines by V8's own tables (Node.js 14) and while V8 deoptimizes (`osr`) is told in [v8.md](v8.md).
Below a table is what V8 itself said of lines in Maglev code (`fixtures/node/limits.js`); only where its own profiler
has none there may be a B.

.NET, by `ci/dotnet-matrix` (`fixtures/dotnet/nesting.cs`), all programs at once, a thread each; names and
lines of the samples that are in managed code and not truncated:

* `default`: self-contained, framework precompiled, the program compiled in tiers
* `single-file`: the same in one file
* `optimized`: `DOTNET_TieredCompilation=0`, everything compiled once
* `jit`: `DOTNET_ReadyToRun=0`, no precompiled code
* `two-tiers`: `DOTNET_TieredPGO=0 DOTNET_TC_QuickJitForLoops=0`, no counting, no replacement on the stack
* `server-gc`: `DOTNET_gcServer=1`, a collector's thread for each CPU
* `one-mapping`: `DOTNET_EnableWriteXorExecute=0`, code in anonymous memory that can be written to
* `composite`: framework and program precompiled into one image, `DOTNET_TieredCompilation=0`, so that it stays
"""


@dataclass(frozen=True)
class Cell:
    """Percentages; @n samples of the program; @limited: lines that V8 does not have."""

    names: float
    lines: float
    complete: float
    n: int = 0
    limited: float = 0

    @property
    def good(self):
        reached = self.names, self.lines + self.limited, self.complete
        return all(_cut(got) >= goal for got, goal in zip(reached, GOALS.values()))

    def __str__(self):
        # Never rounded up to the goal, nor is the sum of the lines.
        lines = f"{_cut(self.lines):g}"
        if self.limited:
            lines += f" + {round(_cut(self.lines + self.limited) - _cut(self.lines), 2):g}"
        text = f"{_cut(self.names):g} / {lines} / {_cut(self.complete):g}"
        return text if self.good else f"**{text}**"

    @staticmethod
    def parse(text):
        match = re.fullmatch(r"\**([\d.]+) / ([\d.]+)(?: \+ ([\d.]+))? / ([\d.]+)\**", text)
        if not match:
            return None
        names, lines, limited, complete = (float(part or 0) for part in match.groups())
        return Cell(names, lines, complete, limited=limited)


def _cut(percent):
    return int(round(percent * 100, 6)) / 100


class Document:
    """Written anew after each cell, by renaming. Tables of other runtimes stay as they are."""

    def __init__(self, path, programs, modes, runtime="Node.js"):
        self.path, self.programs, self.modes, self.cells = path, programs, modes, {}
        self.runtime, self.others = runtime, {}
        self.notes = {}  # by version, below its table
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self._read(file.read().splitlines())

    def _read(self, lines):
        version, columns, other = None, [], None
        for line in lines:
            words = [word.strip() for word in line.strip("|").split("|")]
            if line.startswith("## "):
                runtime, version = line[3:].rsplit(" ", 1)
                other = None if runtime == self.runtime else (runtime, version)
            if other:
                self.others.setdefault(other, []).append(line)
            elif version and line.startswith(NOTE):
                self.notes[version] = line[len(NOTE):]
            elif line.startswith("| program"):
                columns = words[1:]
            elif version and line.startswith("| ") and columns:
                for mode, text in zip(columns, words[1:]):
                    if Cell.parse(text):
                        self.cells[version, mode, words[0]] = Cell.parse(text)

    def put(self, version, mode, program, cell, note=None):
        """@note: a line below the version's table, if there is none it stays."""
        self.cells[version, mode, program] = cell
        if note:
            self.notes[version] = note
        with open(self.path + ".new", "w", encoding="utf-8") as file:
            file.write(self.text())
        os.rename(self.path + ".new", self.path)

    def text(self):
        goals = ", ".join(f"{name} {goal} %" for name, goal in GOALS.items())
        tables = {key: "\n".join(lines).rstrip() + "\n" for key, lines in self.others.items()}
        tables.update({(self.runtime, v): self._table(v) for v, _, _ in self.cells})
        order = sorted(tables, key=lambda key: (key[0] != "Node.js", int(key[1].split(".")[0])))
        return "\n".join([HEAD.format(goals=goals), *(tables[key] for key in order)])

    def _table(self, version):
        rows = [["program", *self.modes], ["---"] * (len(self.modes) + 1)]
        rows += [[program, *(str(self.cells.get((version, mode, program), ""))
                             for mode in self.modes)] for program in self.programs]
        note = f"\n{NOTE}{self.notes[version]}\n" if version in self.notes else ""
        table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
        return f"## {self.runtime} {version}\n\n{table}{note}"
