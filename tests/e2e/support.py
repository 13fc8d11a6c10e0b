# SPDX-License-Identifier: BSD-2-Clause
"""The cells of the support matrix, their goals, and the samples that are left out of their
percentages.

document.py generates docs/support-matrix.md from them.
"""

from dataclasses import dataclass

import results

GOALS = {"names": 99.9, "lines": 99.9, "complete": 99.5}

# Samples that are left out of percentages: runtime, percentages, samples, reason.
EXCLUDED = [
    ("Node.js", "names, lines", "helper threads of V8 and libuv", "helper threads run no JavaScript; their samples count for `complete`"),
    ("Node.js", "names, lines", "stacks of the event loop and of Node.js's own functions that have no frame of the program: all of V8's own tasks, and other samples up to 5 %",
     "no code of the program runs; the stacks must begin where the thread begins, and count for `complete`"),
    ("Node.js", "lines", "the B % of `A + B`: samples in Maglev code of a V8 that stores no lines for it (Node.js 23)",
     "V8's own profiler has no lines for this code, either; the profile has the reason for the "
     "missing lines"),
    ("Node.js", "lines", "the column of the innermost function; any of the function's lines with code is accepted",
     "V8 reports only positions of calls; the lines and columns of all callers are compared"),
    (".NET", "all", "the first three seconds of a recording; main thread, tracer and threads of the runtime",
     "the recorder still loads unwind rows; these threads run no case"),
    (".NET", "names, lines", "stacks that are not complete", "incomplete stacks lower `complete`"),
    (".NET", "names, lines", "samples in the tracer that reports stacks, at most 15 % of a case's samples; library methods called by "
     "a method that was not reported, at most 15 %; iterators and async methods before their first line, at most 2 %",
     "the runtime reports no chain of callers there"),
    (".NET", "names, lines", "threads of the pool before their first and after their last managed code, at most 2 %",
     "no code of the program runs; the stacks must begin where threads begin, and count for `complete`"),
    (".NET", "names, lines", "frames of exception dispatch between throw and handler; the names of native frames",
     "the runtime does not report these frames; only their place in the stack is checked"),
    (".NET", "lines", "callers for which the runtime has no line or IL offset 0; the statement of the innermost method",
     "the runtime does not report it; the line of any statement of the innermost method is accepted"),
]


@dataclass(frozen=True)
class Cell:
    """The percentages of a cell. @n: samples of the program; @limited: the share of samples whose
    line V8 does not have."""

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
