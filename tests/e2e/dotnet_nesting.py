# SPDX-License-Identifier: BSD-2-Clause
"""What the stacks of fixtures/dotnet/nesting.cs can be: a grammar of names a class, lines by source.

Each thread runs one class (a case), in which one chain of methods is possible. Of a stack, outermost
first, what belongs to the case is joined with ">" and has to match the case's grammar; where each
call may be the innermost, a longer chain is an optional tail.
"""

import itertools
import os
import re

from lib import TOP

SOURCE = os.path.join(TOP, "fixtures/dotnet/nesting.cs")


def chain(*calls):
    """The grammar of calls of which each may be the innermost."""
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
    "Frameless": chain(LOOP, *map(exactly, ["TinyA(long)", "TinyB(long)", "Tiny(long)"])),
    "OneCall": chain(LOOP, *map(exactly, ["CallA(long)", "CallB(long)"]), WORK),
    "Recursion": chain(LOOP, *[exactly("Down(long)")] * 21, WORK),
    "Virtual": chain(LOOP, exactly("Call<__Canon>(T[], long)"), r"[ABC]\.Area\(long\)", WORK),
    "Generic": re.compile(LOOP + "(?:" + "|".join(
        rf"(?:>Box<{t}>\.Put\(T, long\)(?:>Work<{t}>\(long\))?)" for t in ("int", "__Canon")) + ")?"),
    "Osr": chain(LOOP, *map(exactly, ["OsrA(long)", "OsrB(long)", "OsrLoop(long)"])),
    # Unoptimized, the finally block is a function that its method calls.
    "Finally": chain(LOOP, exactly("FinA(long)") + f"(?:>{exactly('FinA(long)')})?",
                     exactly("FinB(long)"), WORK),
    # The filter runs above the frames that threw; where the handler does, those are gone or not.
    "Catch": re.compile(rf"{LOOP}(?:>{CAT}(?:>Throws\(\))?(?:>{CAT}(?:>{WORK})?)?(?:>{WORK})?)?"),
    "Callback": chain(LOOP, *map(exactly, ["Sort(long[])", "Compare(long*, long*)",
                                          "Work(long, long)"])),
    # Lambda and iterator may be inlined into what calls them.
    "Lambda": re.compile(rf"{LOOP}(?:>Loop\.<lambda_\w+>\(int\))?(?:>{WORK})?"),
    "Iterator": re.compile(rf"{LOOP}(?:>Each(?:\(\)|\.(?:[\w.<>]+\.)?(?:GetEnumerator|get_Current|Dispose)\(\)|\.\.ctor\(int\))?)?(?:>{WORK})?"),
    # Whoever completes a task goes on with what awaits it.
    "Async": re.compile(rf"(?:{LOOP}>)?(?:{TASK}>)*(?:{TASK}|OnceAsync>{WORK})|{LOOP}"),
    "Reflected": chain(LOOP, "InvokeStub_Reflected.Work", WORK),
    "Dynamic": chain(LOOP, "Made", WORK),
    "Objects": chain(LOOP, *map(exactly, ["Build(long)", "Add(Node, long)", "Node..ctor()"])),
    "Garbage": chain(LOOP, exactly("Make(long)")),
    "Stack": chain(LOOP, r"(?:Alloc\(int\)|Fixed\(\))",
                   exactly("Many(long, long, long, long, long, long, long, long, byte*)"),
                   exactly("Work(byte*, int)")),
    "Big": chain(LOOP, exactly("Large.Run(long)")),
}
EXTRA = {"Dynamic": "Made", "Reflected": "InvokeStub_Reflected.Work", "Big": "Large.Run(long)"}


def case_of(frames):
    """The case that a stack's frames belong to, or None."""
    for frame in reversed(frames):
        match = re.match(r"Nest\.(\w+)\.", frame.get("name") or "")
        if match and match.group(1) in CASES:
            return match.group(1)
    return None


def own(case, frames):
    """[(name within the case, frame)], outermost first."""
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


class Source:
    """The lines of each method of each case."""

    def __init__(self, path=SOURCE):
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        self.methods = {}
        case = None
        for i, line in enumerate(self.lines):
            match = re.match(r"\tstatic (?:unsafe )?class (\w+)", line)
            case = match.group(1) if match else case
            match = re.search(r"[\w>\]] (\w+)(?:<\w+>)?\([^()]*\)(?: where [^{]*)?\s*(?:=>|\{|$)", line)
            if case and match and line.startswith("\t\t"):
                key = (case, match.group(1))
                self.methods.setdefault(key, []).append((i + 1, self._end(i) + 1))

    def _end(self, i):
        depth, started = 0, False
        for k in range(i, len(self.lines)):
            code = self.lines[k].split("//")[0]
            depth += code.count("{") - code.count("}")
            started |= "{" in code or code.rstrip().endswith(";")
            if started and depth <= 0:
                return k
        return i

    def is_line(self, case, name, frame, off=0):
        """None: it has no line, or one of no method here."""
        method = re.match(r"(?:.*\.)?(\w+)(?:<[\w, ]+>)?(?:\([^()]*\))?$", name.split(".<lambda")[0])
        ranges = method and self.methods.get((case, method.group(1)))
        if not ranges or name == EXTRA.get(case) or "line" not in frame:
            return None
        if not (frame.get("file") or "").endswith("nesting.cs"):
            return False
        return any(a <= frame["line"] + off <= b for a, b in ranges)


def samples_of(profile, settled_us):
    """(case, frames leaf first, stack, how many, is the leaf managed code) of each stack of a case.

    A stack whose frames name no case is that of its thread, whose name says the case.
    """
    threads = {}
    for line in profile.lines:
        if line["type"] == "thread":
            threads[line["tid"]] = line["name"]
        if line["type"] != "samples":
            continue
        stack = profile.stacks[line["stack"]]
        frames = [profile.frames[i] for i in stack["frames"]]
        case = threads.get(line["tid"], "?")[1:]
        case = case if case in CASES else case_of(frames)
        count = sum(t >= settled_us for t in itertools.accumulate(line["t"]))
        if case in CASES and count and frames:
            yield case, frames, stack, count


def samples_with_frames(profile, settled_us):
    """(frames leaf first, how many) of each stack with user frames."""
    for line in profile.lines:
        if line["type"] != "samples":
            continue
        frames = [profile.frames[i] for i in profile.stacks[line["stack"]]["frames"]]
        frames = [f for f in frames if f["kind"] != "kernel"]
        count = sum(t >= settled_us for t in itertools.accumulate(line["t"]))
        if count and frames:
            yield frames, count


HIJACK = bytes.fromhex("50 55 53 41 57 41 56 41 55 41 54")  # OnHijackTripThread


HIJACKED = "hijacked return address"


def is_trap(frame):
    """Is it where threads return to that are to stop?"""
    if frame["kind"] != "native" or "off" not in frame or not os.path.exists(frame["module"]):
        return False
    with open(frame["module"], "rb") as file:
        file.seek(int(frame["off"], 16))
        return file.read(len(HIJACK)) == HIJACK


def is_hijacked(frames):
    """Was a caller found by a guess since the thread is to return to the runtime instead?"""
    return any(f.get("guess") and is_trap(frames[i]) for i, f in enumerate(frames[1:]))


class Tally:
    """Counts of one case, or of all."""

    def __init__(self):
        self.n = self.complete = self.hijacked = self.managed = self.names = self.lines = self.unnamed = 0
        self.whole = self.wrong = self.mistold = self.unlined = self.callers = self.refused = self.shifted = self.lined = 0
        self.misses = {}

    def miss(self, what, count):
        self.misses[what] = self.misses.get(what, 0) + count

    def add(self, case, frames, stack, count, source):
        mine = own(case, frames)
        names = [name for name, _ in mine]
        right = is_right(case, mine)
        lines = [source.is_line(case, *one) for one in mine]
        self.n += count
        self.complete += count * (stack["status"] == "complete")
        if stack["status"] != "complete":
            self.miss(f"{stack['status']}, {stack.get('reason')}: {'>'.join(names)} {leaf_of(frames)}", count)
        if any(f["kind"] == "dotnet" and not f.get("name") for f in frames):
            self.unnamed += count
            right = False
        if stack.get("reason") in (HIJACKED, "guessed frame"):
            self.mistold += count * (is_hijacked(frames) != (stack["reason"] == HIJACKED))
        if stack["status"] != "complete" and is_hijacked(frames):
            self.hijacked += count
            return
        # What the walk calls whole is judged; what it calls truncated lacks its outer part.
        if stack["status"] != "complete" and stack.get("reason") != "guessed frame":
            return
        self.whole += count
        self.wrong += count * (not right)
        if not right and stack["status"] == "complete":
            self.miss(f"complete: {'>'.join(names)} {leaf_of(frames)}", count)
        self._controls(case, mine, right)
        if frames[0]["kind"] == "dotnet":
            self.managed += count
            self.names += count * right
            self.lines += count * (right and False not in lines)
            self.unlined += count * (frames[0] is mine[-1][1] and lines[-1] is None
                                     and case != "Big") if mine else 0
            if right and False in lines:
                bad = mine[lines.index(False)]
                self.miss(f"line: {bad[0]} {bad[1].get('file')}:{bad[1].get('line')}", count)
        for (name, frame), good in zip(mine, lines):
            if good:
                self.lined += 1
                self.shifted += source.is_line(case, name, frame, 1000) is True

    def _controls(self, case, mine, right):
        """A stack that lacks a caller has to be refused, where the grammar names it."""
        if right and len(mine) >= 3 and case in ("Frameless", "OneCall", "Osr", "Finally"):
            self.callers += 1
            self.refused += not is_right(case, mine[:-2] + mine[-1:])


def leaf_of(frames):
    leaf = frames[0]
    return f"[{leaf['kind']} {leaf.get('name') or leaf.get('reason') or leaf.get('off')}]"
