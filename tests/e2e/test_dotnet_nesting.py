#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Negative controls of the judge of .NET's stacks: what it must let pass and what it must catch."""

import sys

import dotnet_nesting
from dotnet_source import Source
from lib import Checks

DOTNET = [  # chains of which no frame may be missing, outermost first
    ("Frameless", ["Loop()", "TinyA(long)", "TinyB(long)", "Tiny(long)"]),
    ("OneCall", ["Loop()", "CallA(long)", "CallB(long)", "Work(long)"]),
    ("Recursion", ["Loop()"] + ["Down(long)"] * 21 + ["Work(long)"]),
    ("Virtual", ["Loop()", "Call<__Canon>(T[], long)", "B.Area(long)", "Work(long)"]),
    ("Generic", ["Loop()", "Box<int>.Put(T, long)", "Work<int>(long)"]),
    ("Osr", ["Loop()", "OsrA(long)", "OsrB(long)", "OsrLoop(long)"]),
    ("Finally", ["Loop()", "FinA(long)", "FinB(long)", "Work(long)"]),
    ("Callback", ["Loop()", "Sort(long[])", "Compare(long*, long*)", "Work(long, long)"]),
    ("Reflected", ["Loop()", "InvokeStub_Reflected.Work", "Work(long)"]),
    ("Dynamic", ["Loop()", "Made", "Work(long)"]),
    ("Objects", ["Loop()", "Build(long)", "Add(Node, long)"]),
    ("Stack", ["Loop()", "Fixed()", "Many(long, long, long, long, long, long, long, long, byte*)",
               "Work(byte*, int)"]),
]


def check_chains(check):
    for case, names in DOTNET:
        right = lambda names, case=case: dotnet_nesting.is_right(case, [(n, {}) for n in names])
        for n in range(1, len(names) + 1):
            check.that(right(names[:n]), f".NET {case}: its first {n} frames pass", quiet=True)
        for i in range(len(names) - 1):
            check.that(not right(names[:i] + names[i + 1:]), f".NET {case}: frame {i} is missing",
                       quiet=True)
        check.that(not right(names[:-1] + names[-2:]), f".NET {case}: the leaf is twice", quiet=True)


def check_lines(check):
    lines = Source().lines
    methods = {method for _, method in lines}
    check.that({f"Nest.{case}.Loop" for case in dotnet_nesting.CASES} <= methods,
               "the methods of each case are read", quiet=True)
    beside = [key for key, found in lines.items() if any(n + 1 in found for n in found) and
              key[1] not in ("Program.Main", "Nest.Dynamic.Make")]
    check.equal(beside, [], "no two statements are on neighbour lines")


def check_stacks(check):
    """A chain as the runtime reports it, and stacks that are another or no whole one."""
    lines = Source().lines
    def frame(name, line=None, kind="dotnet", **more):
        place = {"file": "x/nesting.cs", "line": line} if line else {}
        return {"kind": kind, "name": name, **place, **more}
    at = lambda name: min(lines["nesting.cs", f"Nest.OneCall.{name}"])
    chain = [("System.Threading.Thread.StartCallback", 0)] + \
        [(f"Nest.OneCall.{name}", at(name)) for name in ("Loop", "CallA", "CallB", "Work")]
    judge = dotnet_nesting.Judge({"nOneCall": {tuple(chain)}})
    root = [frame(name, kind="native", module="/lib/libc.so.6") for name in ("start_thread", "clone3")]
    start = frame("System.Threading.Thread.StartCallback()")
    loop, first, second, work = (frame(f"Nest.OneCall.{name}", at(name.split("(")[0])) for name in
                                 ("Loop()", "CallA(long)", "CallB(long)", "Work(long)"))
    good = [work, second, first, loop, start, *root]
    native, stub = frame("x", kind="native", module="y"), frame("VSD dispatch", kind="stub")
    kernel, other = frame("x", kind="kernel"), frame("System.Math.Max(long, long)")
    for words, names, exact, frames in (
            ("as reported", True, True, good), ("above a caller", True, True, good[1:]),
            ("interrupted", True, True, [kernel, *good]), ("in native code", True, True, [native, *good]),
            ("a caller lost below native code", False, False, [native, *good[1:]]),
            ("all callers lost", False, False, [native, start, *root]), ("root lost", False, False, good[:-1]),
            ("no frame", False, False, []), ("a caller lost", False, False, [work, *good[2:]]),
            ("a caller twice", False, False, [work, second, *good[1:]]),
            ("a leaf of the library", False, False, [other, *good[1:]]),
            ("native code between", False, False, [work, native, *good[1:]]),
            ("a stub between", False, False, [work, stub, *good[1:]]),
            ("a caller's line off", True, False, [work, {**second, "line": second["line"] + 1}, *good[2:]]),
            ("a leaf's line off", True, False, [{**work, "line": work["line"] + 1}, *good[1:]]),
            ("no lines", True, False, [{k: v for k, v in f.items() if k != "line"} for f in good])):
        check.equal(judge.judge("OneCall", frames)[:2], (names, exact), f".NET: {words}")


def main():
    check = Checks()
    check_chains(check)
    check_lines(check)
    check_stacks(check)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
