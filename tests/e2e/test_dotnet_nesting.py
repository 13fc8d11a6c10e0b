#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests the judge of .NET's stacks with stacks that it must accept and stacks that it must
refuse."""

import sys
import types

import dotnet_nesting
from dotnet_source import Source
from lib import Checks

DOTNET = [  # chains, outermost first, of which the judge must miss every removed frame
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
ROOT = [{"kind": "native", "name": name, "module": "/lib/libc.so.6"} for name in ("start_thread", "clone3")]


def check_chains(check):
    for case, names in DOTNET:
        right = lambda names, case=case: dotnet_nesting.is_right(case, [(n, {}) for n in names])
        for n in range(1, len(names) + 1):
            check.that(right(names[:n]), f".NET {case}: the judge accepts the first {n} frames",
                       quiet=True)
        for i in range(len(names) - 1):
            check.that(not right(names[:i] + names[i + 1:]),
                       f".NET {case}: the judge refuses a stack without frame {i}",
                       quiet=True)
        check.that(not right(names[:-1] + names[-2:]),
                   f".NET {case}: the judge refuses a stack that has the leaf twice", quiet=True)


def check_lines(check):
    lines = Source().lines
    methods = {method for _, method in lines}
    check.that({f"Nest.{case}.Loop" for case in dotnet_nesting.CASES} <= methods,
               "the method Loop of each case is found in the source", quiet=True)
    beside = [key for key, found in lines.items() if any(n + 1 in found for n in found) and
              key[1] not in ("Program.Main", "Nest.Dynamic.Make")]
    check.equal(beside, [], "no two adjacent lines of the source have statements")


def managed(name, line=None, kind="dotnet", file="nesting.cs", **more):
    place = {"file": f"x/{file}", "line": line} if line else {}
    return {"kind": kind, "name": name, **place, **more}


def check_stacks(check):
    """Judges a stack as the runtime reports it, and stacks that differ from it or lack frames."""
    lines, frame = Source().lines, managed
    at = lambda name: min(lines["nesting.cs", f"Nest.OneCall.{name}"])
    chain = [("System.Threading.Thread.StartCallback", 0)] + \
        [(f"Nest.OneCall.{name}", at(name)) for name in ("Loop", "CallA", "CallB", "Work")]
    judge = dotnet_nesting.Judge({"nOneCall": {tuple(chain)}})
    root = ROOT
    start = frame("System.Threading.Thread.StartCallback()")
    loop, first, second, work = (frame(f"Nest.OneCall.{name}", at(name.split("(")[0])) for name in
                                 ("Loop()", "CallA(long)", "CallB(long)", "Work(long)"))
    good = [work, second, first, loop, start, *root]
    native, stub = frame("x", kind="native", module="y"), frame("VSD dispatch", kind="stub")
    kernel, other = frame("x", kind="kernel"), frame("System.Math.Max(long, long)")
    for words, names, exact, frames in (
            ("the stack that the runtime reported", True, True, good),
            ("a stack whose leaf is in a caller of the method Work", True, True, good[1:]),
            ("interrupted", True, True, [kernel, *good]),
            ("in native code", True, True, [native, *good]),
            ("a caller lost below native code", False, False, [native, *good[1:]]),
            ("all callers lost", False, False, [native, start, *root]),
            ("root lost", False, False, good[:-1]),
            ("no frame", False, False, []), ("a caller lost", False, False, [work, *good[2:]]),
            ("a caller twice", False, False, [work, second, *good[1:]]),
            ("a leaf of the library", False, False, [other, *good[1:]]),
            ("native code between", False, False, [work, native, *good[1:]]),
            ("a stub between", False, False, [work, stub, *good[1:]]),
            ("a caller's line off",
             True, False, [work, {**second, "line": second["line"] + 1}, *good[2:]]),
            ("a leaf's line off", True, False, [{**work, "line": work["line"] + 1}, *good[1:]]),
            ("no lines", True, False, [{k: v for k, v in f.items() if k != "line"} for f in good])):
        check.equal(judge.judge("OneCall", frames)[:2], (names, exact),
                    f".NET: names {'pass' if names else 'fail'} and lines "
                    f"{'pass' if exact else 'fail'} for this stack: {words}")


def check_calls(check):
    """Stacks whose innermost frame is at a call must be counted, and must fail if they are too
    many."""
    lines, start = Source().lines, "System.Threading.Thread.StartCallback"
    at = {name: min(lines["nesting.cs", f"Nest.OneCall.{name}"]) for name in ("CallA", "CallB", "Work")}
    at["Loop"] = max(lines["nesting.cs", "Nest.OneCall.Loop"])
    chain = [(start, 0)] + [(f"Nest.OneCall.{name}", at[name]) for name in ("Loop", "CallA", "CallB", "Work")]
    judge = dotnet_nesting.Judge({"nOneCall": {tuple(chain)}})
    work, second, first, loop = (managed(f"{name}({'' if 'Loop' in name else 'long'})", line)
                                 for name, line in chain[:0:-1])
    outer, native = [loop, managed(start + "()"), *ROOT], managed("x", kind="native", module="y")
    for words, want, frames in (
            ("the leaf", False, [work, second, first, *outer]),
            ("its caller", True, [second, first, *outer]),
            ("interrupted", True, [managed("x", kind="kernel"), second, first, *outer]),
            ("the loop", True, outer),
            ("the loop's head", False, [{**loop, "line": loop["line"] - 2}, *outer[1:]]),
            ("all frames of the program are lost", True, outer[1:]),
            ("in native code", False, [native, second, first, *outer]),
            ("in code that dispatches an exception",
             False, [managed("System.Runtime.EH.DispatchEx()"), second, first, *outer]),
            ("in a stub", False, [managed("VSD dispatch", kind="stub"), second, first, *outer]),
            ("the outermost frame is lost", False, [second, first, loop])):
        check.equal(judge.is_at_call("OneCall", frames), want,
                    f".NET: the judge {'counts' if want else 'does not count'} this stack as one "
                    f"without the callee: {words}")
    for words, case, n, at_call, good in (
            ("no stack", "OneCall", 2000, 0, True),
            ("no more stacks than expected by chance", "OneCall", 2000, 4, True),
            ("1 of 100 stacks", "OneCall", 2000, 20, False),
            ("1 of 100 stacks of a large profile", "OneCall", 20000, 200, False),
            ("1 of 100 stacks of a case with short leaves", "Frameless", 20000, 200, True)):
        tally = dotnet_nesting.Tally()
        of = types.SimpleNamespace(judge=lambda *_: (True, True, None), is_whole=lambda *_: True,
                                   is_at_call=lambda _, frames: bool(frames))
        for frames, count in (((), n - at_call), ([loop], at_call)):
            tally.add(of, case, frames, {"status": "complete"}, count)
        check.equal(all(figure >= 99.9 for figure in tally.figures), good,
                    f".NET: figures {'pass' if good else 'fail'} if {words} lack the callee of a "
                    "call")


def check_unreported(check):
    """Judges calls in the source that the runtime never reports, and calls that do not exist."""
    source, file = Source(), "nesting.library.cs"
    lines = {name: sorted(found) for (_, name), found in source.lines.items()}
    def frames(case, *names):
        return [managed(f"Nest.{case}.{name}", lines[f"Nest.{case}.{name}"][n], file=file) for name, n in names]
    reports = {  # for each case the chain, outermost first: method, and index of the line in it
        "Iterator": [("Loop", 1), ("Each", 1), ("Work", 3)],
        "Catch": [("Loop", 1), ("CatA", 0), ("Throws", 0), ("CatA", 2), ("Work", 3)],
        "Finally": [("Loop", 1), ("FinA", 1), ("FinB", 0), ("Work", 3)],
        "Lambda": [("Loop", 3), ("Work", 3)], "Async": [("OnceAsync", 1), ("Work", 3)]}
    judge = dotnet_nesting.Judge({dotnet_nesting.POOL if case == "Async" else f"n{case}": {tuple(
        (f["name"], f["line"]) for f in frames(case, *chain))} for case, chain in reports.items()})
    with_signature = {"Work": "Work(long)", "Loop": "Loop()", "Each": "Each()", "Throws": "Throws()"}
    def stack(case, above, *names):
        own = frames(case, *names)
        for f in own:
            name = f["name"].split(".")[-1]
            f["name"] = f["name"].removesuffix(name) + with_signature.get(name, f"{name}(long)")
        return [*above, *own[::-1], *ROOT]
    made = "Nest.Iterator.Each.System.Collections.Generic.IEnumer"
    begin, current = managed(f"{made}able<System.Int64>.GetEnumerator()"), managed(f"{made}ator<System.Int64>.get_Current()")
    cast, base, sort = (managed(name, tier="R2R") for name in (
        "System.Runtime.CompilerServices.CastHelpers.IsInstanceOfClass(void*, object)",
        "System.Runtime.CompilerServices.StaticsHelpers.GetNonGCStaticBase(MethodTable*)",
        "System.Array.Sort(long[])"))
    closure, other, clock, date = (managed(f"System.{name}", tier="R2R") for name in (
        "MulticastDelegate.CtorClosed(object, nint)", "MulticastDelegate.Equals(object)",
        "Diagnostics.Stopwatch.GetElapsedTime(long, long)", "DateTime.AddTicks(long)"))
    native = managed("x", kind="native", module="y")
    for case, words, good, above, *names in (
            ("Iterator", "the iterator begins", (1, 1), [begin], ("Loop", 1)),
            ("Iterator", "the runtime is called by the iterator's beginning",
             (1, 1), [native, begin], ("Loop", 1)),
            ("Iterator", "the iterator returns a value", (1, 1), [current], ("Loop", 1)),
            ("Iterator", "the iterator begins twice", (0, 0), [begin, begin], ("Loop", 1)),
            ("Iterator", "the iterator's beginning is called by the iterator",
             (0, 0), [begin], ("Loop", 1), ("Each", 1)),
            ("Iterator", "the caller of the iterator is lost", (0, 0), [begin]),
            ("Iterator", "an unknown method", (0, 0), [sort], ("Loop", 1)),
            ("Catch", "the library reads a static field",
             (1, 1), [base], ("Loop", 1), ("CatA", 0), ("Throws", 0)),
            ("Catch", "the library compares the exception's type",
             (1, 1), [cast], ("Loop", 1), ("CatA", 0)),
            ("Catch", "an unknown method", (0, 0), [sort], ("Loop", 1), ("CatA", 0)),
            ("Catch", "the library compares a type for the loop", (0, 0), [cast], ("Loop", 1)),
            ("Lambda", "the library makes the delegate", (1, 1), [closure], ("Loop", 3)),
            ("Lambda", "an unknown method", (0, 0), [other], ("Loop", 3)),
            ("Async", "the pool reads the clock", (1, 1), [clock], ("OnceAsync", 1)),
            ("Async", "an unknown method", (0, 0), [date], ("OnceAsync", 1)),
            ("Finally", "the leaf is in the finally block",
             (1, 1), [], ("Loop", 1), ("FinA", 0), ("FinA", 1)),
            ("Finally", "the leaf is at the end of the finally block",
             (1, 1), [], ("Loop", 1), ("FinA", 0), ("FinA", 2)),
            ("Finally", "the finally block calls a method",
             (1, 1), [], ("Loop", 1), ("FinA", 0), ("FinA", 1), ("FinB", 0)),
            ("Finally", "the method that contains the finally block has two frames",
             (0, 0), [], ("Loop", 1), ("FinA", 0), ("FinA", 0)),
            ("Finally", "the finally block has two frames",
             (0, 0), [], ("Loop", 1), ("FinA", 1), ("FinA", 1)),
            ("Finally", "the finally block calls the method that contains it",
             (0, 0), [], ("Loop", 1), ("FinA", 1), ("FinA", 0))):
        check.equal(judge.judge(case, stack(case, above, *names))[:2], tuple(map(bool, good)),
                    f".NET {case}: the judge {'accepts' if good[0] else 'refuses'} this stack: "
                    f"{words}")


def check_threads(check):
    """Stacks of a pool thread may lack managed code at the thread's start and end, and only
    there."""
    native, kernel = managed("x", kind="native", module="y"), managed("x", kind="kernel")
    stacks = {"native": [kernel, native, *ROOT], "work": [managed("Nest.Async.Work(long)"), *ROOT],
              "no root": [native]}
    # want: numbers of such stacks that count as usual, and that count as a thread's start or end
    for words, name, want, samples in (
            ("a pool thread that starts",
             ".NET TP Worker", (0, 1), [("native", [5]), ("work", [6, 2])]),
            ("a pool thread that ends", ".NET TP Worker", (0, 1), [("work", [5]), ("native", [6])]),
            ("a pool thread that never runs managed code",
             ".NET TP Worker", (0, 2), [("native", [5, 2])]),
            ("a pool thread whose managed frames are lost",
             ".NET TP Worker", (2, 1), [("work", [5, 9]), ("native", [6, 2, 7])]),
            ("a pool thread whose stack does not begin where threads begin",
             ".NET TP Worker", (1, 0), [("no root", [5])]),
            ("a thread of the program", "nOneCall", (1, 0), [("native", [5]), ("work", [6])]),
            ("a sample that is too early to count",
             ".NET TP Worker", (0, 0), [("native", [1]), ("work", [6])])):
        lines = [{"type": "thread", "tid": 1, "name": name}] + [
            {"type": "samples", "tid": 1, "stack": stack, "t": times} for stack, times in samples]
        profile = types.SimpleNamespace(
            of=lambda kind, lines=lines: [line for line in lines if line["type"] == kind],
            stacks={key: {"id": key, "frames": [(key, i) for i in range(len(frames))]}
                    for key, frames in stacks.items()},
            frames={(key, i): f for key, frames in stacks.items() for i, f in enumerate(frames)})
        found = [0, 0]
        for _, _, stack, count, edge in dotnet_nesting.samples_of(profile, 2):
            found[edge] += count * (stack["id"] != "work")
        check.equal(tuple(found), want,
                    f".NET: each stack without managed code is counted either as usual or as a "
                    f"thread's start or end: {words}")


def main():
    check = Checks()
    check_chains(check)
    check_lines(check)
    check_stacks(check)
    check_calls(check)
    check_unreported(check)
    check_threads(check)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
