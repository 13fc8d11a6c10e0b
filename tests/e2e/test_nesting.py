#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests the judge with stacks that it must accept and stacks that it must refuse."""

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
    """Returns the stack of a path, outermost first, each function at its first line with a call."""
    return [(s.name, s.file, min(s.calls) if s.calls else s.first + 1) for s in path]


def mutations(stack):
    """Yields (description of a fault, does it change lines only, stack with the fault)."""
    middle = len(stack) // 2
    yield "a frame is missing", False, stack[:middle] + stack[middle + 1:]
    yield "the outermost frame is missing", False, stack[1:]
    yield "the caller of the innermost frame is missing", False, stack[:-2] + stack[-1:]
    yield "a frame occurs twice", False, stack[:-1] + stack[-2:]
    name, file, line = stack[middle]
    yield "a name is wrong", False, stack[:middle] + [(name + "x", file, line)] + stack[middle + 1:]
    yield "a file is wrong", False, stack[:middle] + [(name, "x", line)] + stack[middle + 1:]
    yield "the two innermost frames are swapped", False, stack[:-2] + [stack[-1], stack[-2]]
    for off in (-1, 1) if line else ():
        yield f"a call's line is off by {off}", True, \
            stack[:middle] + [(name, file, line + off)] + stack[middle + 1:]
    name, file, _ = stack[-1]
    yield "the innermost frame has a line of another function", True, stack[:-1] + [(name, file, 2)]
    yield "a line is missing", True, stack[:-1] + [(name, file, None)]


def check_terms(check):
    """Checks that frames of bundles and of eval are translated to positions in the program's own
    file."""
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
                   f"the judge {'finds' if good else 'does not find'} the function of a frame "
                   f"in a bundle if the column is off by {off}",
                   quiet=True)
    check.that("\n" not in text and len(text) > 300000, "the bundle is a single long line")
    located = judge.locate(frame)
    path = next(p for p in judge.paths if any(step.name == "Square" for step in p))
    stack = true_stack(path)
    at = [step.name for step in path].index("Square")
    for name, good in (("Square", True), ("Squar", False)):
        some = stack[:at] + [(name, *located[1:])] + stack[at + 1:]
        check.that(judge.names_exact(some) == good and not judge.lines_exact(some),
                   f"without a column, the judge finds that the bundle's function {name} has "
                   f"{'the right' if good else 'a wrong'} name and no exact line", quiet=True)
    evals = os.path.join(KNOWN, "evals.js")
    for name, line in (("direct", 1), ("built", 3)):
        first = next(s.first for p in judge.paths for s in p if (s.name, s.file) == (name, evals))
        for asker, good in ((evals, True), (bundle.path, True), (shapes, False)):
            found = judge.locate({"kind": "js", "name": name, "line": line,
                                  "file": f"eval at f ({asker}:1:2), <anonymous>"})
            check.equal(found, (name, evals, first) if good else None,
                        f"the judge {'finds' if good else 'does not find'} the first line of "
                        f"{name}, "
                        f"which eval in {os.path.basename(asker)} compiled")
    check.that(judge.locate({"kind": "js", "name": "direct", "line": 1}) is None and
               judge.locate({"kind": "js", "name": "leaf", "line": 1}) is None and
               judge.locate({"kind": "native", "name": "direct"}) is None,
               "the judge locates neither frames without a file nor frames of native code")


def check_cells(check):
    """No figure is rounded up to its goal."""
    below, good = Cell(99.8999, 99.9, 99.5), Cell(99.9, 100, 99.5)
    check.that(not below.good and str(below).startswith("**99.89 ") and good.good,
               "a cell that misses a goal by only a little fails, because its figures are not "
               "rounded up")


def check_limits(check):
    """Checks that a line that V8 does not have is distinguished from a line that Unspool misses."""
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
            ("a leaf without a line, interrupted by the kernel,", True, [kernel, *stack]),
            ("a leaf in a write barrier", True, [kernel, barrier, *stack]),
            ("a leaf that allocates memory", True, [native, grow, centry, *stack]),
            ("a leaf at a call whose line V8 has", False, [native, other, centry, *stack]),
            ("a leaf that calls a builtin", False, [{"kind": "builtin", "name": "from"}, *stack]),
            ("a leaf in code that TurboFan compiled",
             False, [{**leaf, "tier": "turbofan"}, *stack[1:]]),
            ("a leaf without a line for another "
             "reason", False, [{**leaf, "reason": "x"}, *stack[1:]]),
            ("a leaf with a wrong line", False, [{**leaf, "line": 1}, *stack[1:]]),
            ("a caller with a wrong line", False, [leaf, {**caller, "line": 1}, *outer]),
            ("a caller without a line", False, [leaf, {**leaf, **caller, "line": None}, *outer]),
            ("a stack without the caller", False, [leaf, *outer]),
            ("a caller with a wrong name", False, [leaf, {**caller, "name": "x"}, *outer])):
        check.that(limits.is_limit(judge, frames) == good,
                   f"{words} {'lacks only' if good else 'lacks more than'} a line that V8 does "
                   "not have")
    mark = limits.marks()
    for good, maglev, line, ticks in (
            (True, True, mark["call"], {mark["first"]: 60, mark["body"]: 1}),
            (False, True, mark["call"], {mark["loop"]: 60, mark["first"]: 1}),
            (False, True, mark["first"], {mark["first"]: 60}), (False, True, mark["call"], {}),
            (False, False, mark["call"], {mark["first"]: 60})):
        answer = limits.Answer(maglev, line, ticks)
        check.that(answer.has_no_lines == good,
                   f"this answer shows that V8 has {'no ' if good else ''}lines in Maglev code: "
                   f"{answer}",
                   quiet=True)
    some, less = Cell(100, 2.819, 100, limited=97.085), Cell(100, 2.8, 100, limited=97.09)
    check.equal([str(some), str(less)], ["100 / 2.81 + 97.09 / 100", "**100 / 2.8 + 97.09 / 100**"],
                "a cell shows the share of samples whose lines V8 does not have")


ROOT = [("native", name) for name in (  # the callers of the programs in Node.js 24, outermost first
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
    """Judges all frames of a sample: below the programs' functions, between them and above them."""
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
            ("unchanged stack", (1, 1, 1), good),
            ("interrupted function", (1, 1, 1), good + interrupt),
            ("system call by JavaScript", (0, 0, 1), good + syscall),
            ("addition builtin above its function", (1, 1, 1), good + add),
            ("allocation by the addition builtin", (1, 1, 1), good + add + others(*ALLOCATE)),
            ("addition builtin above another function", (0, 0, 1), good[:-1] + add),
            ("call builtin above the calling function", (1, 1, 1), good[:-1] + call),
            ("builtin that the line calls", (1, 1, 1), good[:-5] + between[:1]),
            ("builtin that the line does not call", (0, 0, 1), good[:-6] + between[:1]),
            ("unknown builtin above the leaf", (0, 0, 1), good + others(("builtin", "Something"))),
            ("function of Node.js above the leaf", (0, 0, 1), good + others(("js", "emit"))),
            ("no builtin between sort's caller and callback",
             (0, 0, 1), good[:-5] + [compare, leaf]),
            ("one builtin missing between sort's caller and callback",
             (0, 0, 1), good[:-5] + [*between[:2], compare, leaf]),
            ("first frame of the process missing", (1, 1, 0), good[1:]),
            ("frame of the event loop missing", (1, 1, 0), good[:6] + good[7:]),
            ("leaf on a line without code",
             (1, 0, 1), good[:-1] + [{**leaf, "line": leaf["line"] - 1}]),
            ("leaf without a line", (1, 0, 1), good[:-1] + [{**leaf, "line": None}]),
            ("column of a call off by one",
             (1, 0, 1), [*root, tick, {**main, "column": 4}, *good[len(short):]]),
            ("stack that stops at a call", (1, 1, 1), good[:-1])):
        verdict = judge.judge(stack[::-1])
        check.equal((verdict.names, verdict.lines, verdict.root), tuple(map(bool, want)),
                    "the judge gives the right verdict on names, lines and root for: "
                    f"{words}", quiet=True)
        check.equal(verdict.at_call, "stops" in words or words.startswith("a builtin is"),
                    f"the judge recognizes whether the stack lacks a callee: {words}",
                    quiet=True)
    loop = [whole.token(f) for f in root[:8]]
    node = [whole.token(f) for f in root]
    for words, want, tokens, at_call in (
            ("in the event loop", True, loop, False), ("in Node.js's own code", True, node, False),
            ("in Node.js's call of the programs", True, node + ["stub Call_ReceiverIsAny"], True),
            ("in an addition by Node.js's own code", True, node + ["builtin Add_Baseline"], False),
            ("in an addition by Node.js's call of the programs", False,
             node + ["builtin Add_Baseline"], True),
            ("in an addition without a calling function",
             False, loop + ["builtin "
                                                                         "Add_Baseline"], False)):
        check.equal(whole.is_without(tokens, at_call), want,
                    f"is_without() {'accepts' if want else 'refuses'} a stack without frames of "
                    f"the programs if its leaf is {words}",
                    quiet=True)
    jobs = loop + ["stub JSRunMicrotasksEntry", "stub RunMicrotasks"]
    for words, want, tokens, at_call in (
            ("the event loop", False, loop, False),
            ("the event loop's call of C++", False, node[:-3], False),
            ("the event loop's call of JavaScript", True, node[:-1], False),
            ("Node.js's call of the programs", True, node, True),
            ("another line of Node.js's calling function", False, node, False),
            ("an interrupt at Node.js's call of the programs", True, node + ["kernel x"], True),
            ("a builtin that makes the call", True, node + ["stub Call_ReceiverIsAny"], True),
            ("a builtin that Node.js calls there", False, node + ["builtin push"], True),
            ("microtasks", True, jobs, False),
            ("a builtin that resumes an awaiting function", True,
             jobs + ["builtin AsyncFunctionAwaitResolveClosure"], False)):
        check.equal(whole.ends_at_entry(tokens, at_call), want,
                    f"ends_at_entry() {'accepts' if want else 'refuses'} a stack that ends in "
                    f"{words}", quiet=True)
    task = loop[:7] + ["native node::PerIsolatePlatformData::RunForegroundTask", "native x"]
    check.equal([whole.is_task(task), whole.is_task(node)], [True, False],
                "is_task() distinguishes V8's own tasks from the programs")
    to_baseline, pc_for = "builtin InterpreterOnStackReplacement_ToBaseline", "native v8::internal::BaselinePCForBytecodeOffset"
    for token, want, text in (
            (to_baseline, True, "for (let i = 0; i < n; i++) n = f(i);"), (to_baseline, False, "leaf(a);"),
            (pc_for, True, "n = (n * 31 + i) | 0;"), (pc_for, False, "leaf(a);"),
            ("builtin Add_Baseline", True, "eval(`${text}x`);"),
            ("builtin Add_Baseline", False, "leaf('x');")):
        check.equal(whole.may_end([token], text, "function leaf() {"), want,
                    f"may_end() {'accepts' if want else 'refuses'} a stack that ends in {token}, "
                    f"called from the line {text}", quiet=True)
    for words, thread, want in (("main", "main", True), ("worker", "worker", False),
                                ("helper", "helper", False)):
        check.equal(whole.starts(loop, thread), want,
                    f"starts() {'accepts' if want else 'refuses'} a stack of a {words} thread "
                    "that begins with the event loop",
                    quiet=True)


def check_caps(check):
    """Stacks without a frame of the programs, or without the leaf, are wrong above a limit."""
    for words, n, without, at_call, want in (
            ("no samples", 1900, 0, {}, (0, 0)),
            ("as many samples without frames of the programs as the limit allows",
             1900, 100, {}, (0, 0)),
            ("one more sample without frames of the programs than the limit allows",
             1900, 101, {}, (1, 1)),
            ("a few samples without the callee", 2000, 0, {"compiled": 2}, (0, 0)),
            ("1 of 100 samples without the callee", 2000, 0, {"compiled": 20}, (11, 20)),
            ("a few samples without the callee of interpreted "
             "code", 2000, 0, {"interpreted": 5}, (0, 0)),
            ("1 of 100 of many samples without the "
             "callee", 20000, 0, {"compiled": 200}, (160, 200)),
            ("1 of 100 samples without the callee of interpreted "
             "code", 20000, 0, {"interpreted": 200}, (100, 190))):
        found = tally.too_many(n, without, collections.Counter(at_call))
        check.that(want[0] <= found <= want[1],
                   f"with {words}, {want[0]} to {want[1]} samples exceed the limit: {found}",
                   quiet=True)


def check_bounds(check):
    """A share that just reaches its goal must pass; one with ten times the misses must fail."""
    seed = random.Random(7)
    for n, goal in ((60, 99), (700, 99.9), (2000, 99.9), (4000, 99.5)):
        most = bounds.most_misses(n, goal)
        check.that(bounds.reaches(n - most, n, goal) and not bounds.reaches(n - most - 1, n, goal),
                   f"the goal of {goal} % is reached with {most} misses in {n} samples, but not "
                   "with one more",
                   quiet=True)
        good = sum(sum(seed.random() > goal / 100 for _ in range(n)) <= most for _ in range(200))
        check.equal(good, 200,
                    f"at most {most} of {n} samples are wrong by chance if the error rate is "
                    f"{100 - goal:g} %",
                    quiet=True)
    check.that(not bounds.are_enough(700, 99.9) and bounds.are_enough(2000, 99.9) and
               not bounds.are_enough(0, 99.9), "2000 samples are enough for a goal of 99.9 %, "
                                               "700 are not",
               quiet=True)
    bad = sum(sum(seed.random() < 0.01 for _ in range(2000)) <= bounds.most_misses(2000, 99.9)
              for _ in range(200))
    check.that(bad <= 8,
               f"if 99 % of the samples are right, at most 8 of 200 trials meet the goal of 99.9 %: {bad}",
               quiet=True)


def main():
    check = Checks()
    check_bounds(check)
    check_caps(check)
    check_terms(check)
    check_cells(check)
    check_limits(check)
    check_whole(check)
    judge = nesting.Judge(KNOWN)
    check.that(len(judge.paths) >= 15,
               "the judge finds at least 15 paths of calls in the programs' sources")
    for path in judge.paths[1:]:
        stack = true_stack(path)
        label = os.path.basename(path[-1].file) + ": " + " > ".join(
            f[0] for f in (stack if len(stack) < 12 else stack[:3] + stack[-2:]))
        for n in range(1, len(stack) + 1):
            part = stack[:n - 1] + [(*stack[n - 1][:2], path[n - 1].first + 1)]
            check.that(judge.names_exact(part) and judge.lines_exact(part),
                       f"{label}: the judge accepts the first {n} frames", quiet=True)
        for words, only_line, changed in mutations(stack):
            if changed == stack or only_line and changed in [true_stack(p) for p in judge.paths]:
                continue
            check.that(judge.names_exact(changed) == only_line,
                       f"{label}: the judge {'accepts' if only_line else 'refuses'} the names if "
                       f"{words}",
                       quiet=True)
            check.that(not judge.lines_exact(changed),
                       f"{label}: the judge refuses the lines if {words}", quiet=True)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
