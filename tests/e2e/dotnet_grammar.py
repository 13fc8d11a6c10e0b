# SPDX-License-Identifier: BSD-2-Clause
"""A grammar for each class of fixtures/dotnet/nesting.cs: the chains of calls, with type arguments
and parameters. The frames of a class are joined with ">", outermost first, and must match the
class's grammar. Where any call of a chain may be the innermost one, the rest of the chain is
optional.
"""

import re


def chain(*calls):
    """Returns the grammar of a chain of calls that may end at any call."""
    text = ""
    for call in reversed(calls):
        text = f"(?:>{call}{text})?" if call is not calls[0] else call + text
    return re.compile(text)


def exactly(name):
    return re.escape(name)


WORK = exactly("Work(long)")
LOOP = exactly("Loop()")
CAT = exactly("CatA(long)")
TASK = r"(?:SumAsync(?:\(\))?|OnceAsync(?:\(long\))?)"
CASES = {
    "Frameless": chain(LOOP, *map(exactly, ["TinyA(long)", "TinyB(long)"]), r"(?:Tiny|Ask)\(long\)"),
    "OneCall": chain(LOOP, *map(exactly, ["CallA(long)", "CallB(long)"]), WORK),
    "Recursion": chain(LOOP, *[exactly("Down(long)")] * 21, WORK),
    "Virtual": chain(LOOP, exactly("Call<__Canon>(T[], long)"), r"[ABC]\.Area\(long\)", WORK),
    "Generic": re.compile(LOOP + "(?:" + "|".join(
        rf"(?:>Box<{t}>\.Put\(T, long\)(?:>Work<{t}>\(long\))?)" for t in ("int", "__Canon")) + ")?"),
    "Osr": chain(LOOP, *map(exactly, ["OsrA(long)", "OsrB(long)", "OsrLoop(long)"])),
    # In unoptimized code the finally block is a function that its method calls.
    "Finally": chain(LOOP, exactly("FinA(long)") + f"(?:>{exactly('FinA(long)')})?",
                     exactly("FinB(long)"), WORK),
    # The filter runs above the frames that threw; while the handler runs, those frames may be gone.
    "Catch": re.compile(rf"{LOOP}(?:>{CAT}(?:>Throws\(\))?(?:>{CAT}(?:>{WORK})?)?(?:>{WORK})?)?"),
    "Callback": chain(LOOP, *map(exactly, ["Sort(long[])", "Compare(long*, long*)",
                                          "Work(long, long)"])),
    # A lambda or an iterator may be inlined into its caller.
    "Lambda": re.compile(rf"{LOOP}(?:>Loop\.<lambda_\w+>\(int\))?(?:>{WORK})?"),
    "Iterator": re.compile(rf"{LOOP}(?:>Each(?:\(\)|\.(?:[\w.<>]+\.)?(?:GetEnumerator|get_Current|Dispose)\(\)|\.\.ctor\(int\))?)?(?:>{WORK})?"),
    # The thread that completes a task continues with the task's awaiter.
    "Async": re.compile(rf"(?:{LOOP}>)?(?:{TASK}>)*(?:{TASK}|OnceAsync>{WORK})|{LOOP}"),
    "Reflected": chain(LOOP, "InvokeStub_Reflected.Work", WORK),
    "Dynamic": chain(LOOP, "Made", WORK),
    "Objects": chain(LOOP, *map(exactly, ["Build(long)", "Add(Node, long)"]), exactly("Node..ctor(long)")),
    "Garbage": chain(LOOP, exactly("Make(long)")),
    "Stack": chain(LOOP, r"(?:Alloc\(int\)|Fixed\(\))",
                   exactly("Many(long, long, long, long, long, long, long, long, byte*)"),
                   exactly("Work(byte*, int)")),
    "Big": chain(LOOP, exactly("Large.Run(long)")),
}
EXTRA = {"Dynamic": "Made", "Reflected": "InvokeStub_Reflected.Work", "Big": "Large.Run(long)"}


def case_of(frames):
    """Returns the case to which a stack's frames belong, or None."""
    for frame in reversed(frames):
        match = re.match(r"Nest\.(\w+)\.", frame.get("name") or "")
        if match and match.group(1) in CASES:
            return match.group(1)
    return None


def own(case, frames):
    """Returns [(name within the case, frame)], outermost first."""
    prefix, found = f"Nest.{case}.", []
    for frame in reversed(frames):
        name = frame.get("name") or ""
        if name.startswith(prefix):
            found.append((name[len(prefix):], frame))
        elif name == EXTRA.get(case):
            found.append((name, frame))
    return found


def is_right(case, mine):
    return bool(mine) and bool(CASES[case].fullmatch(">".join(name for name, _ in mine)))
