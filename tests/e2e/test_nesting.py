#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Negative controls of the judge: stacks that it must accept and refuse."""

import collections
import os
import random
import sys

import bounds
import limits
import nesting
import tally
import whole
from bundle import Bundle
from lib import Checks, folder
from support import Cell

KNOWN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../fixtures/node/known")


def true_stack(path):
    """The stack down to the innermost function, with the first legal lines."""
    return [(s.name, s.file, min(s.calls) if s.calls else s.first + 1) for s in path]


def mutations(stack):
    """(description of the change, does it change only lines, stack)"""
    middle = len(stack) // 2
    yield "a frame is missing", False, stack[:middle] + stack[middle + 1:]
    yield "the outermost is missing", False, stack[1:]
    yield "the caller of the innermost is missing", False, stack[:-2] + stack[-1:]
    yield "a frame is there twice", False, stack[:-1] + stack[-2:]
    name, file, line = stack[middle]
    yield "a name is wrong", False, stack[:middle] + [(name + "x", file, line)] + stack[middle + 1:]
    yield "a file is wrong", False, stack[:middle] + [(name, "x", line)] + stack[middle + 1:]
    yield "two are swapped", False, stack[:-2] + [stack[-1], stack[-2]]
    for off in (-1, 1) if line else ():
        yield f"a call's line is off by {off}", True, \
            stack[:middle] + [(name, file, line + off)] + stack[middle + 1:]
    name, file, _ = stack[-1]
    yield "the innermost line is another function's", True, stack[:-1] + [(name, file, 2)]
    yield "a line is missing", True, stack[:-1] + [(name, file, None)]


def check_terms(check):
    """Frames of bundles, of eval and of WebAssembly are translated to the program's own file."""
    with folder() as tmp:
        bundle = Bundle(os.path.join(tmp, "bundle.js"), KNOWN, ["calls", "shapes"])
        with open(bundle.path, encoding="utf-8") as file:
            text = file.read()
    judge = nesting.Judge(KNOWN, [bundle])
    shapes = os.path.join(KNOWN, "shapes.js")
    with open(shapes, encoding="utf-8") as file:
        number = next(n for n, line in enumerate(file, 1) if "// @super" in line)
    frame = {"kind": "js", "name": "Square", "file": bundle.path, "line": 1}
    for off, good in ((0, True), (1, True), (-1, False), (len("super(n); "), False)):
        column = text.index("super(n);") + 1 + off
        check.that((judge.locate({**frame, "column": column}) == ("Square", shapes, number)) == good,
                   f"a bundle's column, {off} off", quiet=True)
    check.that("\n" not in text and len(text) > 300000, "a bundle is one long line")
    located = judge.locate(frame)
    path = next(p for p in judge.paths if any(step.name == "Square" for step in p))
    stack = true_stack(path)
    at = [step.name for step in path].index("Square")
    for name, good in (("Square", True), ("Squar", False)):
        some = stack[:at] + [(name, *located[1:])] + stack[at + 1:]
        check.that(judge.names_exact(some) == good and not judge.lines_exact(some),
                   f"{name} of a bundle without a column", quiet=True)
    evals = os.path.join(KNOWN, "evals.js")
    for name, line in (("direct", 1), ("built", 3)):
        first = next(s.first for p in judge.paths for s in p if (s.name, s.file) == (name, evals))
        for asker, good in ((evals, True), (bundle.path, True), (shapes, False)):
            found = judge.locate({"kind": "js", "name": name, "line": line,
                                  "file": f"eval at f ({asker}:1:2), <anonymous>"})
            check.equal(found, (name, evals, first) if good else None, f"the first line of {name}")
    check.that(judge.locate({"kind": "js", "name": "direct", "line": 1}) is None and
               judge.locate({"kind": "js", "name": "leaf", "line": 1}) is None and
               judge.locate({"kind": "native", "name": "direct"}) is None,
               "nothing else has no file")


def check_cells(check):
    """No figure is rounded up to its goal."""
    below, good = Cell(99.8999, 99.9, 99.5), Cell(99.9, 100, 99.5)
    check.that(not below.good and str(below).startswith("**99.89 ") and good.good,
               "a goal is missed by little")


def check_limits(check):
    """Lines that V8 does not have are distinguished from missed lines."""
    judge = nesting.Judge(KNOWN)
    path = next(p for p in judge.paths if p[-1].name == "leaf" and len(p) == 4)
    caller, leaf = [{"kind": "js", "tier": "maglev", "name": name, "file": file, "line": line}
                    for name, file, line in true_stack(path)[-2:]]
    outer = [{"kind": "js", "tier": "turbofan", "name": name, "file": file, "line": line}
             for name, file, line in reversed(true_stack(path)[:-2])]
    leaf = {**leaf, "reason": limits.NO_LINE}
    del leaf["line"]
    stack = [leaf, caller, *outer]
    kernel, native = {"kind": "kernel", "name": "x"}, {"kind": "native", "name": "v8::X::y()"}
    barrier = {"kind": "stub", "name": "RecordWriteSaveFP"}
    centry = {"kind": "stub", "name": "CEntry_Return1"}
    grow = {"kind": "native", "name": "v8::internal::Runtime_AllocateInYoungGeneration(int)"}
    other = {"kind": "native", "name": "v8::internal::Runtime_StringSplit(int)"}
    for words, good, frames in (
            ("a leaf without a line", True, stack),
            ("interrupted by the kernel", True, [kernel, *stack]),
            ("in a write barrier", True, [kernel, barrier, *stack]),
            ("where memory is allocated", True, [native, grow, centry, *stack]),
            ("a call that V8 has the line of", False, [native, other, centry, *stack]),
            ("a builtin's caller", False, [{"kind": "builtin", "name": "from"}, *stack]),
            ("code of TurboFan", False, [{**leaf, "tier": "turbofan"}, *stack[1:]]),
            ("another reason", False, [{**leaf, "reason": "x"}, *stack[1:]]),
            ("a wrong line", False, [{**leaf, "line": 1}, *stack[1:]]),
            ("a caller's wrong line", False, [leaf, {**caller, "line": 1}, *outer]),
            ("a caller without a line", False, [leaf, {**leaf, **caller, "line": None}, *outer]),
            ("a frame is missing", False, [leaf, *outer]),
            ("a wrong name", False, [leaf, {**caller, "name": "x"}, *outer])):
        check.that(limits.is_limit(judge, frames) == good, f"V8's limit: {words}: {good}")
    mark = limits.marks()
    for good, maglev, line, ticks in (
            (True, True, mark["call"], {mark["first"]: 60, mark["body"]: 1}),
            (False, True, mark["call"], {mark["loop"]: 60, mark["first"]: 1}),
            (False, True, mark["first"], {mark["first"]: 60}), (False, True, mark["call"], {}),
            (False, False, mark["call"], {mark["first"]: 60})):
        answer = limits.Answer(maglev, line, ticks)
        check.that(answer.has_no_lines == good, f"V8 has no lines: {good}: {answer}", quiet=True)
    some, less = Cell(100, 2.819, 100, limited=97.085), Cell(100, 2.8, 100, limited=97.09)
    check.equal([str(some), str(less)], ["100 / 2.81 + 97.09 / 100", "**100 / 2.8 + 97.09 / 100**"],
                "a cell with V8's limit")


ROOT = [("native", name) for name in (  # of Node.js 24, outermost first
    "_start", "__libc_start_main", "__libc_start_call_main", "node::Start(int, char**)",
    "node::NodeMainInstance::Run()", "node::SpinEventLoopInternal(node::Environment*)", "uv_run",
    "uv__run_check", "node::Environment::CheckImmediate(uv_check_s*)",
    "node::MakeCallback(v8::Isolate*)", "node::InternalMakeCallback(node::Environment*)",
    "v8::Function::Call(v8::Isolate*)", "v8::internal::Execution::Call(v8::internal::Isolate*)",
    "v8::internal::(anonymous namespace)::Invoke(v8::internal::Isolate*)")] + [
    ("stub", "JSEntry"), ("stub", "JSEntryTrampoline"), ("js", "processImmediate")]
SORT = [("builtin", "sort"), ("stub", "ArrayTimSort"), ("stub", "SortCompareUserFn")]
ALLOCATE = [("stub", "CEntry_Return1_ArgvOnStack_NoBuiltinExit"),
            ("native", "v8::internal::Runtime_AllocateInYoungGeneration(int)")]


def others(*pairs):
    return [{"kind": kind, "name": name} for kind, name in pairs]


def check_whole(check):
    """All frames of a sample: those below the programs, between their functions and above them."""
    judge = nesting.Judge(KNOWN)
    sort = next(p for p in judge.paths if any(s.name == "compare" for s in p))
    own = [{"kind": "js", "tier": "baseline", "name": s.name, "file": s.file,
            **({"line": min(s.calls), "column": next(iter(s.marks)).column} if s.calls else
               {"line": s.first + 2, "column": 3})} for s in sort]
    tick, main, caller, compare, leaf = own
    root, between, add = others(*ROOT), others(*SORT), others(("builtin", "Add_Baseline"))
    call = others(("stub", "Call_ReceiverIsAny"))
    syscall = others(("kernel", "entry_SYSCALL_64_after_hwframe"))
    interrupt = others(("kernel", "asm_sysvec_apic_timer_interrupt"), ("kernel", "x"))
    good = [*root, tick, main, caller, *between, compare, leaf]
    short = [*root, tick, main]
    for words, want, stack in (  # names, lines, root
            ("unchanged", (1, 1, 1), good),
            ("interrupted", (1, 1, 1), good + interrupt),
            ("in a system call of JavaScript", (0, 0, 1), good + syscall),
            ("in an addition", (1, 1, 1), good + add),
            ("in an allocation for an addition", (1, 1, 1), good + add + others(*ALLOCATE)),
            ("an addition whose function is lost", (0, 0, 1), good[:-1] + add),
            ("a call whose function is lost", (1, 1, 1), good[:-1] + call),
            ("in a builtin that the line calls", (1, 1, 1), good[:-5] + between[:1]),
            ("in a builtin that it does not call", (0, 0, 1), good[:-6] + between[:1]),
            ("in an unknown builtin", (0, 0, 1), good + others(("builtin", "Something"))),
            ("in Node.js's own code", (0, 0, 1), good + others(("js", "emit"))),
            ("no builtin between two functions", (0, 0, 1), good[:-5] + [compare, leaf]),
            ("another builtin there", (0, 0, 1), good[:-5] + [*between[:2], compare, leaf]),
            ("a frame of its start is missing", (1, 1, 0), good[1:]),
            ("a frame of the event loop is missing", (1, 1, 0), good[:6] + good[7:]),
            ("the leaf on a line without code", (1, 0, 1), good[:-1] + [{**leaf, "line": leaf["line"] - 1}]),
            ("the leaf without a line", (1, 0, 1), good[:-1] + [{**leaf, "line": None}]),
            ("a call's column is one off", (1, 0, 1), [*root, tick, {**main, "column": 4}, *good[len(short):]]),
            ("it stops at a call", (1, 1, 1), good[:-1])):
        verdict = judge.judge(stack[::-1])
        check.equal((verdict.names, verdict.lines, verdict.root), tuple(map(bool, want)),
                    f"a whole stack: {words}", quiet=True)
        check.equal(verdict.at_call, "stops" in words or words.startswith("a builtin is"),
                    f"a whole stack: {words}: at a call", quiet=True)
    loop = [whole.token(f) for f in root[:8]]
    node = [whole.token(f) for f in root]
    for words, want, tokens, at_call in (
            ("the event loop", True, loop, False), ("Node.js's own code", True, node, False),
            ("its call of the programs", True, node + ["stub Call_ReceiverIsAny"], True),
            ("an addition in its own code", True, node + ["builtin Add_Baseline"], False),
            ("an addition in that call", False, node + ["builtin Add_Baseline"], True),
            ("an addition without a function", False, loop + ["builtin Add_Baseline"], False)):
        check.equal(whole.is_without(tokens, at_call), want,
                    f"without a frame of the programs: {words}", quiet=True)
    jobs = loop + ["stub JSRunMicrotasksEntry", "stub RunMicrotasks"]
    for words, want, tokens, at_call in (
            ("the event loop", False, loop, False), ("its call of C++", False, node[:-3], False),
            ("its call of JavaScript", True, node[:-1], False),
            ("its call of the programs", True, node, True), ("elsewhere in that function", False, node, False),
            ("interrupted there", True, node + ["kernel x"], True),
            ("a call's own builtins", True, node + ["stub Call_ReceiverIsAny"], True),
            ("what is called there", False, node + ["builtin push"], True),
            ("jobs", True, jobs, False),
            ("what awaits", True, jobs + ["builtin AsyncFunctionAwaitResolveClosure"], False)):
        check.equal(whole.ends_at_entry(tokens, at_call), want,
                    f"it ends where the programs are called: {words}", quiet=True)
    task = loop[:7] + ["native node::PerIsolatePlatformData::RunForegroundTask", "native x"]
    check.equal([whole.is_task(task), whole.is_task(node)], [True, False], "V8's own task")
    to_baseline, pc_for = "builtin InterpreterOnStackReplacement_ToBaseline", "native v8::internal::BaselinePCForBytecodeOffset"
    for token, want, text in (
            (to_baseline, True, "for (let i = 0; i < n; i++) n = f(i);"), (to_baseline, False, "leaf(a);"),
            (pc_for, True, "n = (n * 31 + i) | 0;"), (pc_for, False, "leaf(a);"),
            ("builtin Add_Baseline", True, "eval(`${text}x`);"), ("builtin Add_Baseline", False, "leaf('x');")):
        check.equal(whole.may_end([token], text, "function leaf() {"), want, f"{token} at {text}", quiet=True)
    for words, thread, want in (("main", "main", True), ("worker", "worker", False),
                                ("helper", "helper", False)):
        check.equal(whole.starts(loop, thread), want, f"it starts as a {words} thread", quiet=True)


def check_caps(check):
    """Stacks that may lack the programs or their leaf are wrong if they are too many."""
    for words, n, without, at_call, want in (
            ("none", 1900, 0, {}, (0, 0)), ("as many as allowed", 1900, 100, {}, (0, 0)),
            ("one more", 1900, 101, {}, (1, 1)), ("some at a call", 2000, 0, {"compiled": 2}, (0, 0)),
            ("1 of 100 at a call", 2000, 0, {"compiled": 20}, (11, 20)),
            ("some of interpreted code", 2000, 0, {"interpreted": 5}, (0, 0)),
            ("1 of 100 of many", 20000, 0, {"compiled": 200}, (160, 200)),
            ("1 of 100 of interpreted code", 20000, 0, {"interpreted": 200}, (100, 190))):
        found = tally.too_many(n, without, collections.Counter(at_call))
        check.that(want[0] <= found <= want[1], f"without the programs, at a call: {words}: {found}",
                   quiet=True)


def check_bounds(check):
    """A share that just reaches its goal passes; one with ten times the misses fails."""
    seed = random.Random(7)
    for n, goal in ((60, 99), (700, 99.9), (2000, 99.9), (4000, 99.5)):
        most = bounds.most_misses(n, goal)
        check.that(bounds.reaches(n - most, n, goal) and not bounds.reaches(n - most - 1, n, goal),
                   f"{goal} % of {n}: {most} may miss", quiet=True)
        good = sum(sum(seed.random() > goal / 100 for _ in range(n)) <= most for _ in range(200))
        check.equal(good, 200, f"{goal} % of {n}: by chance no more", quiet=True)
    check.that(not bounds.are_enough(700, 99.9) and bounds.are_enough(2000, 99.9) and
               not bounds.are_enough(0, 99.9), "so many samples are enough", quiet=True)
    bad = sum(sum(seed.random() < 0.01 for _ in range(2000)) <= bounds.most_misses(2000, 99.9)
              for _ in range(200))
    check.that(bad <= 8, f"99 % instead of 99.9 pass in {bad} of 200 trials", quiet=True)


def main():
    check = Checks()
    check_bounds(check)
    check_caps(check)
    check_terms(check)
    check_cells(check)
    check_limits(check)
    check_whole(check)
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
        for words, only_line, changed in mutations(stack):
            if changed == stack or only_line and changed in [true_stack(p) for p in judge.paths]:
                continue
            check.that(judge.names_exact(changed) == only_line, f"{label}: {words}: names", quiet=True)
            check.that(not judge.lines_exact(changed), f"{label}: {words}: lines", quiet=True)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
