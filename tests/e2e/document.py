#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Generates docs/support-matrix.md from docs/results/{node,dotnet}-matrix.json.

  document.py              writes it
  document.py --check      exits with 1 if the document does not match the results
  document.py --self-test  proves that the check notices each change

Each version has a table, each program a row, each mode a column.
"""

import json
import os
import pathlib
import sys

import dotnet_matrix
import matrix
from lib import TOP
from results import runs
from support import EXCLUDED, GOALS, Cell

DOCUMENT = os.path.join(TOP, "docs/support-matrix.md")
HEAD = """# What is exact, by version, mode and program

`ci/qualify` generates this page from `docs/results/node-matrix.json` and `dotnet-matrix.json`.

{measured}
A cell has three figures, in % of the samples of live processes (x86-64): samples with exact names /
with exact names and lines / with complete stacks. The programs themselves determine which stacks
are exact.

Goals: {goals}. A cell that misses a goal is in bold.
An empty cell was not measured, or the version or program does not have the mode. `A + B` for lines
means: A % have exact lines, and B % lack only the line of the innermost function, which V8 itself
does not have.

## Samples that the percentages leave out

{excluded}
## Programs and modes

`ci/qualify node-matrix` measures Node.js with the programs in `fixtures/node/known`. All programs
of a version and mode run at once, and samples that are taken while the recorder starts count, too.
[v8-limits.md](reference/v8-limits.md) lists the lines that V8's own tables lack. The text below a
table describes which lines V8's own profiler reports in Maglev code (`fixtures/node/limits.js`); a
cell has a B only if V8's profiler reports none there.

* `default`: no flag
* `jitless`: `--jitless`, interpreted only
* `sparkplug`: `--always-sparkplug --no-opt --no-maglev`, baseline code only
* `maglev`: `--no-turbofan`, where V8 has Maglev by default
* `native-stack`: `--interpreted-frames-native-stack`

`ci/qualify dotnet-matrix` measures .NET with the programs in `fixtures/dotnet/nesting.cs`, which
run at once, each in a thread:

* `default`: self-contained; the framework is precompiled, the program is compiled in tiers
* `single-file`: like `default`, in a single file
* `optimized`: `DOTNET_TieredCompilation=0`, everything compiled once
* `jit`: `DOTNET_ReadyToRun=0`, no precompiled code
* `two-tiers`: `DOTNET_TieredPGO=0 DOTNET_TC_QuickJitForLoops=0`, without instrumented code or
  on-stack replacement
* `server-gc`: `DOTNET_gcServer=1`, a thread of the garbage collector for each CPU
* `one-mapping`: `DOTNET_EnableWriteXorExecute=0`, code in writable anonymous memory
* `composite`: framework and program are precompiled into one image, which stays in use because of
  `DOTNET_TieredCompilation=0`
"""


def row(cells):
    return f"| {' | '.join(cells)} |\n"


def table_of(columns, rows):
    return row(columns) + row(["---"] * len(columns)) + "".join(map(row, rows))


def when(figure):
    """Describes the run that measured a cell."""
    changes = " with changes" if "+" in figure["commit"] else ""
    loads = figure["load"]
    loads = f" to {loads[-1]:g}".join([f"{loads[0]:g}", ""]) if len(loads) > 1 else f"{loads[0]:g}"
    return f"commit {figure['commit'][:12]}{changes}, {figure['date'][:10]}, load {loads}"


def measured(runtime, result):
    """Lists the runs that measured cells, and the number of their cells."""
    runs = {}
    for figure in result["figures"]:
        if "names" in figure:
            runs[when(figure)] = runs.get(when(figure), 0) + 1
    text = "".join(f"* {runtime}: {n} cells were measured at {run}\n" for run, n in runs.items())
    return text or f"* {runtime}: not measured\n"


def version_tables(runtime, result, programs, modes):
    cells = {tuple(f["key"]): f for f in result["figures"] if "names" in f}
    notes = {f["key"][0]: f["note"] for f in result["figures"] if "note" in f}
    for version in sorted({key[0] for key in cells}, key=lambda v: [int(n) for n in v.split(".")]):
        rows = [[program, *(str(Cell.of(cells[version, mode, program]))
                            if (version, mode, program) in cells else "" for mode in modes)]
                for program in programs]
        note = f"\nV8 itself: {notes[version]}\n" if version in notes else ""
        yield f"## {runtime} {version}\n\n{table_of(['program', *modes], rows)}{note}"


def text_of(node, dotnet):
    goals = ", ".join(f"{name} {goal} %" for name, goal in GOALS.items())
    head = HEAD.format(goals=goals, measured=measured("Node.js", node) + measured(".NET", dotnet),
                       excluded=table_of(["runtime", "of", "samples", "because"], EXCLUDED))
    return "\n".join([head, *version_tables("Node.js", node, matrix.PROGRAMS, matrix.modes(99)),
                      *version_tables(".NET", dotnet, dotnet_matrix.CASES, dotnet_matrix.MODES)])


def results():
    return [runs.read(pathlib.Path(TOP, f"docs/results/{part}-matrix.json")) for part in ("node", "dotnet")]


def self_test():
    cell = {"key": ["24.1.0", "default", "osr"], "samples": 9, "names": 100, "lines": 99.5, "limited": 0.5,
            "complete": 99.4, "commit": "abc", "date": "2026-01-02T03:04:05Z", "load": [1.0, 2.0]}
    empty = {"figures": []}
    good = text_of({"figures": [cell]}, empty)
    changes = {"names": 99, "lines": 99.4, "limited": 0.4, "complete": 99.3, "commit": "abd",
               "date": "2026-01-03T03:04:05Z", "load": [1.0, 3.0], "key": ["24.1.0", "jitless", "osr"]}
    missed = [name for name, value in changes.items()
              if text_of({"figures": [{**cell, name: value}]}, empty) == good]
    expected = ["**100 / 99.5 + 0.5 / 99.4**", "1 cells were measured at commit abc, 2026-01-02, load 1 to 2",
                "## Node.js 24.1.0", ".NET: not measured"]
    missed += [words for words in expected if words not in good]
    print(*("the document lacks these words, or does not change with this figure: "
            f"{json.dumps(words)}" for words in missed),
          f"{len(changes) + len(expected) - len(missed)} passed, {len(missed)} failed", sep="\n")
    return len(missed)


def main():
    if "--self-test" in sys.argv:
        return bool(self_test())
    text = text_of(*results())
    if "--check" not in sys.argv:
        with open(DOCUMENT, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(DOCUMENT, encoding="utf-8") as file:
        is_same = file.read() == text
    print("1 passed, 0 failed" if is_same else "does not match the results; run tests/e2e/document.py")
    return not is_same


if __name__ == "__main__":
    sys.exit(main())
