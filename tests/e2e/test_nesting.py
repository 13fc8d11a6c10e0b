#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Negative controls of the judge: what it must let pass and what it must catch."""

import os
import sys

import nesting
from lib import Checks

KNOWN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../fixtures/node/known")


def true_stack(path):
    """The stack that ends in the innermost function, by the first legal lines."""
    return [(s.name, s.file, min(s.calls) if s.calls else s.first + 1) for s in path]


def mutations(stack):
    """(what was done, is it only in the lines, stack)"""
    middle = len(stack) // 2
    yield "a frame is missing", False, stack[:middle] + stack[middle + 1:]
    yield "the outermost is missing", False, stack[1:]
    yield "the caller of the innermost is missing", False, stack[:-2] + stack[-1:]
    yield "a frame is there twice", False, stack[:-1] + stack[-2:]
    name, file, line = stack[middle]
    yield "a name is wrong", False, stack[:middle] + [(name + "x", file, line)] + stack[middle + 1:]
    yield "a file is wrong", False, stack[:middle] + [(name, "x", line)] + stack[middle + 1:]
    yield "two are swapped", False, stack[:-2] + [stack[-1], stack[-2]]
    for off in (-1, 1):
        yield f"a call's line is off by {off}", True, \
            stack[:middle] + [(name, file, line + off)] + stack[middle + 1:]
    name, file, _ = stack[-1]
    yield "the innermost line is another function's", True, stack[:-1] + [(name, file, 2)]
    yield "a line is missing", True, stack[:-1] + [(name, file, None)]


def main():
    check = Checks()
    judge = nesting.Judge(KNOWN)
    check.that(len(judge.paths) >= 15, "the programs' paths are read")
    for path in judge.paths[1:]:
        stack = true_stack(path)
        label = os.path.basename(path[-1].file) + ": " + " > ".join(
            f[0] for f in (stack if len(stack) < 12 else stack[:3] + stack[-2:]))
        for n in range(1, len(stack) + 1):
            part = stack[:n - 1] + [(*stack[n - 1][:2], path[n - 1].first + 1)]
            check.that(judge.names_exact(part) and judge.lines_exact(part),
                       f"{label}: its first {n} frames pass", quiet=True)
        check.that(judge.has_gap(stack[:-2] + stack[-1:]) and not judge.has_gap(stack[::-1]),
                   f"{label}: a gap is told from another order", quiet=True)
        for words, only_line, changed in mutations(stack):
            if changed == stack or only_line and changed in [true_stack(p) for p in judge.paths]:
                continue
            check.that(judge.names_exact(changed) == only_line, f"{label}: {words}: names", quiet=True)
            check.that(not judge.lines_exact(changed), f"{label}: {words}: lines", quiet=True)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
