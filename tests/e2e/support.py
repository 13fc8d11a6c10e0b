# SPDX-License-Identifier: BSD-2-Clause
"""Cells of the support matrix, their goals, and the samples that they leave out.

document.py generates docs/support-matrix.md from them.
"""

from dataclasses import dataclass

import results

GOALS = {"names": 99.9, "lines": 99.9, "complete": 99.5}

# All samples left out of a percentage: runtime, percentage, samples, reason.
EXCLUDED = [
    ("Node.js", "names, lines", "helper threads of V8 and libuv", "they run no JavaScript; they count for `complete`"),
    ("Node.js", "names, lines", "event loop and Node.js's own functions without a frame of the program, at most 5 % beside V8's own tasks",
     "nothing of the program runs; they must begin where the thread begins, and count for `complete`"),
    ("Node.js", "lines", "in `A + B`, the B % interrupted in Maglev code of a V8 that keeps no line there (23)",
     "V8's own profiler has none there, either; the reason is recorded, and B is shown"),
    ("Node.js", "lines", "the column of the innermost function; which of its lines with code it is",
     "V8 reports calls only: columns and lines of all callers are compared"),
    (".NET", "all", "the first three seconds of a recording; main thread, tracer and threads of the runtime",
     "unwind rows are being loaded; no case runs there"),
    (".NET", "names, lines", "stacks that are not complete", "they count against `complete`"),
    (".NET", "names, lines", "the tracer that reports stacks, at most 15 % of a case's samples; library methods above one that "
     "was not reported, at most 15 %; iterators and async methods before their first line, at most 2 %",
     "the runtime reports no chain there"),
    (".NET", "names, lines", "threads of the pool before their first and after their last managed code, at most 2 %",
     "nothing of the program runs; they must begin where threads begin, and count for `complete`"),
    (".NET", "names, lines", "frames of exception dispatch between throw and handler; native frames one by one",
     "the runtime does not report them; where they lie is judged"),
    (".NET", "lines", "callers for which the runtime has no line or IL offset 0; which statement of the innermost method "
     "it is", "any statement of the method counts as right"),
]


@dataclass(frozen=True)
class Cell:
    """Percentages; @n: samples of the program; @limited: the share of lines that V8 does not
    have."""

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
        # Neither a figure nor the sum of the lines is rounded up to the goal.
        lines = f"{_cut(self.lines):g}"
        if self.limited:
            lines += f" + {round(_cut(self.lines + self.limited) - _cut(self.lines), 2):g}"
        text = f"{_cut(self.names):g} / {lines} / {_cut(self.complete):g}"
        return text if self.good else f"**{text}**"

    def add(self, version, mode, program):
        """Adds a cell to the figures of this run."""
        results.add(key=[version, mode, program], samples=self.n, names=_cut(self.names),
                    lines=_cut(self.lines), limited=_cut(self.limited), complete=_cut(self.complete))

    @staticmethod
    def of(figure):
        return Cell(figure["names"], figure["lines"], figure["complete"], figure["samples"],
                    figure["limited"])


def _cut(percent):
    return int(round(percent * 100, 6)) / 100
