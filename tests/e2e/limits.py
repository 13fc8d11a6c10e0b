# SPDX-License-Identifier: BSD-2-Clause
"""Measures which lines V8's own profiler and Error.stack report for Maglev code.

Maglev of V8 12.9 (Node.js 23) writes no position table. So the line of an interrupted instruction
is not known. For a call, Error.stack takes the line from the deoptimization data. The test does not
rely on the version number but measures each version (fixtures/node/limits.js).
"""

import json
import os
import re
import subprocess
from dataclasses import dataclass, field

from lib import TOP

PROGRAM = os.path.join(TOP, "fixtures/node/limits.js")
FLAGS = ["--allow-natives-syntax", "--no-turbofan"]
FIRST_MAJOR = 23  # versions with Maglev by default
LEAST_TICKS = 10
NO_LINE = "source position unknown"
# Calls for which Maglev makes no deoptimization point ("DefineSafepoint" alone, or none, in
# v8/src/maglev/maglev-ir.cc at 12.9.202), so that Error.stack can't be made in them.
WITHOUT_POINT = re.compile(
    r"RecordWrite|AllocateIn(Young|Old)Generation|v8::internal::Runtime_(AllocateIn"
    r"(Young|Old)Generation|BytecodeBudgetInterrupt_Maglev|CompileOptimizedOSRFromMaglev)\(")


def marks():
    with open(PROGRAM, encoding="utf-8") as file:
        return {name: number for number, line in enumerate(file, 1)
                for name in re.findall(r"// @(\w+)", line)}


@dataclass(frozen=True)
class Answer:
    """@ticks: the ticks of V8's own profiler in one function, by line. @stack: the line of a call
    in Error.stack."""

    maglev: bool
    stack: int
    ticks: dict = field(default_factory=dict)

    @property
    def has_no_lines(self):
        """Returns whether V8 has no lines in Maglev code: 90 % of the ticks in a loop are at the
        first line of its function, although the line of a call is right."""
        total, mark = sum(self.ticks.values()), marks()
        return (self.maglev and total >= LEAST_TICKS and self.stack == mark["call"] and
                self.ticks.get(mark["first"], 0) >= 0.9 * total)

    def __str__(self):
        mark = marks()
        ticks = ", ".join(f"{n} ticks at line {line}" for line, n in sorted(self.ticks.items()))
        return (f"a Maglev function begins at line {mark['first']} and has a loop at lines "
                f"{mark['loop']}"
                f" and {mark['body']}; V8's profiler reports"
                f" {ticks or 'no tick'} for it; for a call at line {mark['call']}, `Error.stack` "
                "has line"
                f" {self.stack}.")


def ask(binary):
    """Returns the Answer of a Node.js binary; None if the program failed, for example without
    Maglev."""
    done = subprocess.run([binary, *FLAGS, PROGRAM], capture_output=True, timeout=120, check=False,
                          stdin=subprocess.DEVNULL, encoding="utf-8")
    if done.returncode:
        return None
    found = json.loads(done.stdout)
    return Answer(found["maglev"], found["stack"],
                  {int(line): n for line, n in found["ticks"].items()})


def is_limit(judge, frames):
    """Returns whether this stack (leaf first) lacks nothing but a line that V8 does not have.

    The innermost function of the program was interrupted in Maglev code, or at a call without a
    deoptimization point. This function has a reason instead of a line; in a bundle, which is a
    single line, it lacks a column. All other functions have exact lines.
    """
    own = [i for i, frame in enumerate(frames) if judge.locate(frame)]
    leaf = frames[own[0]]
    called = [f.get("name") or "" for f in frames[:own[0]] if f["kind"] != "kernel"]
    while called and called[-1].startswith("CEntry_"):
        called.pop()
    if leaf.get("tier") != "maglev" or called and not WITHOUT_POINT.match(called[-1]):
        return False
    if leaf.get("column") or ("line" in leaf) == (leaf.get("reason") == NO_LINE):
        return False
    stack = [judge.locate(frames[i]) for i in reversed(own)]
    return judge.lines_exact(stack, but_innermost=True)
