# SPDX-License-Identifier: BSD-2-Clause
"""Defines the valid stacks of fixtures/dotnet/nesting.cs: names and lines from the leaf to the
root.

Each thread runs one class (a case). A stack must meet three conditions:

  shape    there are kernel frames at the leaf only, native frames between managed frames only
           where the source calls native code, and at the root the frames in which the C library
           starts a thread
  callers  the callers of the leaf are, by name and line, the outer part of a chain that the runtime
           itself reported for this thread during the recording (dotnet_truth.py), and the leaf is a
           method that, as the runtime reported, these callers call
  leaf     the leaf's line has a statement of its method (dotnet_source.py), because the runtime
           does not report a stack for an arbitrary instruction. No two adjacent lines have
           statements, so a line that is off by one is detected. Stacks whose innermost frame is at
           a call are counted, and their number is limited (dotnet_calls.py)

If the last reported method calls the class library, only the methods and callers in OUTSIDE are
valid. Samples with more than one library method (two where memory is cleared) are counted, and
their number is limited. Type arguments and parameters, which the runtime does not report for shared
code, must match the class's grammar (dotnet_grammar.py).

Without reports of the runtime (on another architecture) callers are judged by the grammar and by
their statements.
"""

import itertools
import math
import os
import re

import dotnet_calls
from dotnet_grammar import CASES, EXTRA, is_right, own
from dotnet_source import Source
from dotnet_truth import plain

def managed_times(profile):
    """Returns {thread: the times of its first and of its last sample in managed code}."""
    found = {}
    for line in profile.of("samples"):
        if is_managed(profile.frames[i] for i in profile.stacks[line["stack"]]["frames"]):
            found.setdefault(line["tid"], []).extend(itertools.accumulate(line["t"]))
    return {tid: (min(times), max(times)) for tid, times in found.items()}


def is_managed(frames):
    return any(f["kind"] == "dotnet" for f in frames)


def samples_of(profile, settled_us):
    """Yields (case, frames leaf first, stack, count, is it a thread's start or end).

    A pool thread counts as starting until its first sample in managed code, and as ending after its
    last.
    """
    names = {line["tid"]: line["name"] for line in profile.of("thread")}
    lives = managed_times(profile)
    for line in profile.of("samples"):
        stack, name = profile.stacks[line["stack"]], names.get(line["tid"], "?")
        case = "Async" if name == POOL else name[1:]
        frames = [profile.frames[i] for i in stack["frames"]]
        first, last = lives.get(line["tid"], (math.inf, 0))
        may_be_edge = name == POOL and is_edge(frames)
        edges = [may_be_edge and not first <= t <= last
                 for t in itertools.accumulate(line["t"]) if t >= settled_us]
        for kind in (False, True):
            if case in CASES and kind in edges:
                yield case, frames, stack, edges.count(kind), kind


def samples_in_order(profile):
    """Returns the frames, leaf first, of each sample with user frames, ordered by time."""
    found = []
    for line in profile.of("samples"):
        frames = [profile.frames[i] for i in profile.stacks[line["stack"]]["frames"]]
        frames = [f for f in frames if f["kind"] != "kernel"]
        found += [(t, len(found), frames) for t in itertools.accumulate(line["t"]) if frames]
    return [frames for _, _, frames in sorted(found, key=lambda each: each[:2])]


# The start of OnHijackTripThread, to which a hijacked return address leads.
HIJACK = bytes.fromhex("50 55 53 41 57 41 56 41 55 41 54")
SIGNAL = bytes.fromhex("48 c7 c0 0f 00 00 00 0f 05")  # __restore_rt: return from a signal handler
HIJACKED = "hijacked return address"


def is_at(frame, code, before=0):
    """Returns whether a native frame is at these instructions, or at most @before bytes after their
    start."""
    if frame["kind"] != "native" or "off" not in frame or not os.path.exists(frame["module"]):
        return False
    with open(frame["module"], "rb") as file:
        file.seek(int(frame["off"], 16) - before)
        return code in file.read(len(code) + before)


def is_hijacked(frames):
    """Returns whether a caller was guessed because the runtime had hijacked the thread's return
    address."""
    return any(f.get("guess") and is_at(frames[i], HIJACK) for i, f in enumerate(frames[1:]))


ROOT = (("start_thread",), ("clone3", "clone"))  # compared only if the library has symbols
POOL = ".NET TP Worker"
HELPERS = r"System\.Runtime\.CompilerServices\.(?:Cast|Static|Generic|Init|VirtualDispatch)\w*\."
LINQ = r"|System\.(?:Linq\.|Int64\.|MulticastDelegate\.Ctor)"
REFLECTION = r"|System\.(?:Reflection\.|RuntimeType\.|Object\.GetType)"
TASKS = (r"|Interop\.|System\.(?:Threading\.|Runtime\.(?:CompilerServices|InteropServices)\.|"
         r"Collections\.Concurrent\.|Diagnostics\.Stopwatch\.)")
CLEAR = r"|System\.(?:SpanHelpers|Buffer)\."
MADE = r"|Nest\.Iterator\.Each\."  # methods that the compiler generates in addition to MoveNext

# For each case patterns of: methods that call native code without a report of the stack, methods
# that call the class library without one, and further library methods.
OUTSIDE = {
    "Virtual": ("Call", "Call", ""), "Generic": ("Box.Put", "Box.Put", ""), "Catch": ("Throws", "Throws|CatA", ""),
    "Callback": ("Sort|Compare", "-", ""), "Lambda": ("Loop", "Loop", LINQ),
    "Iterator": ("Loop|Each.*", "Loop|Each.*", MADE), "Async": (r"Loop|\w+Async", r"Loop|\w+Async", TASKS),
    "Reflected": ("Loop", "Loop", REFLECTION), "Dynamic": ("-", "-", ""), "Objects": ("Add", "Add", ""),
    "Garbage": ("-", "Loop", ""), "Stack": ("Alloc|Fixed", "Alloc|Fixed", CLEAR),
}
# These begin with code that has no line.
MACHINES = re.compile(r"Nest\.(?:Iterator\.Each|Async\.\w+Async)")
DISPATCH = re.compile(r"System\.Runtime\.(?:EH|ExceptionServices)\.")  # from .NET 9 on

# Upper limits, in % of a case's samples, for samples that are left out: in the tracer; in library
# methods called by a method that was not reported; before the first line of an iterator or async
# method; in pool threads before and after their managed code.
LEFT_OUT = {"tracer": 15, "library": 15, "no line": 2, "thread": 2}
TRACER = "Nest.Truth.Take"
ALIAS = {"Nest.Frameless.Ask": "Nest.Frameless.Tiny"}  # the same line calls both


def is_native_call(callee, caller):
    """Returns whether native code must be between these two methods."""
    if callee == "Nest.Callback.Compare":
        return caller == "Nest.Callback.Sort"
    dispatches = bool(DISPATCH.match(callee)) and not DISPATCH.match(caller)
    return dispatches or callee == "Nest.Catch.CatA" and caller != "Nest.Catch.Loop"


def is_kernel_entry(frames):
    """Returns whether all kernel frames precede the other frames."""
    kinds = [f["kind"] == "kernel" for f in frames]
    return kinds == sorted(kinds, reverse=True)


def is_root(frames):
    """Returns whether these frames are the outermost part of a thread's stack: native frames down
    to the start of the thread in the C library."""
    return len(frames) >= 2 and all(f["kind"] == "native" for f in frames) and all(
        os.path.basename(f.get("module") or "") == "libc.so.6" and f.get("name", names[0]) in names
        for f, names in zip(frames[-2:], ROOT))


def is_edge(frames):
    """Returns whether the stack has only native code, as at the start and end of a thread."""
    inner = [f for f in frames if f["kind"] != "kernel"]
    return is_kernel_entry(frames) and is_root(inner)


class Grammar:
    """Judges without reports of the runtime: the frames must be a chain of the class, and each
    frame must be at a line of its method."""

    def __init__(self):
        self.source = Source()

    def is_whole(self, frames):
        return bool(frames)

    def is_at_call(self, *_):
        return False

    def judge(self, case, frames):
        mine = own(case, frames)
        lines = [self.source.is_line(f, plain(f.get("name"))) for name, f in mine if name != EXTRA.get(case)]
        return is_right(case, mine), all(lines), None


class Node:
    """A node in the tree of a case's chains: {(name, line): node of its callees}."""

    def __init__(self):
        self.names, self.next = set(), {}

    def add(self, chain):
        if chain:
            self.names.add(chain[0][0])
            self.next.setdefault(chain[0], Node()).add(chain[1:])


class Chains:
    """The chains that the runtime reported for one case. Line 0 stands for an unknown line."""

    def __init__(self, case, reported, marks):
        self.root = Node()
        native, calls, library = OUTSIDE.get(case, ("-", "-", ""))
        self.native, self.calls = (re.compile(rf"Nest\.{case}\.(?:{names})") for names in (native, calls))
        self.library = re.compile(HELPERS + library)
        self.asking = {ALIAS.get(chain[-1][0], chain[-1][0]) for chain in reported}
        for chain in reported:
            chain = [(ALIAS.get(name, name), line) for name, line in chain if not DISPATCH.match(name)]
            self.root.add(chain)
            if case == "Catch" and len(chain) >= 4 and chain[-2][1] == marks["filter"]:
                # While a handler runs, the runtime does not report the frames that threw, but they
                # are on the stack.
                self.root.add([*chain[:-2], (chain[-2][0], marks["handler"]), chain[-1]])

    def fit(self, found, is_line):
        """Returns how many frames of @found match a chain; the last one need only match by name.

        @found is [(name, frame)], outermost first. @is_line(name, frame, line) returns whether the
        frame is at the reported line.
        """
        nodes = [self.root]
        for n, (name, frame) in enumerate(found):
            if not any(name in node.names for node in nodes):
                return n
            nodes = [after for node in nodes for (known, line), after in node.next.items()
                     if known == name and is_line(name, frame, line)]
        return len(found)

    def is_call(self, found, is_line):
        """Returns whether a reported chain that begins with @found (outermost first) continues with
        a method of the program."""
        nodes = [self.root]
        for name, frame in found:
            nodes = [after for node in nodes for (known, line), after in node.next.items()
                     if known == name and is_line(name, frame, line)]
        return any(is_own(found[-1][0]) or is_own(name) for node in nodes for name in node.names)

    def may_call(self, name, native):
        """Returns whether this method may call native code or the library although the runtime
        reported no such call."""
        which = self.native if native else self.calls
        return name in self.asking or not is_own(name) or bool(which.fullmatch(name))


class Judge:
    """Judges stacks by @reported, the {thread: chains} of dotnet_truth.Recorder."""

    def __init__(self, reported):
        self.source = Source()
        self.chains = {case: Chains(case, reported.get(POOL if case == "Async" else f"n{case}", ()),
                                    self.source.marks) for case in CASES}

    def shape(self, frames):
        """Returns the managed frames, outermost first, or None if the stack has not the shape of a
        complete one."""
        managed = [i for i, f in enumerate(frames) if f["kind"] == "dotnet"]
        if not managed or not is_kernel_entry(frames) or not is_root(frames[managed[-1] + 1:]):
            return None
        for inner, outer in zip(managed, managed[1:]):
            between = frames[inner + 1:outer]
            pair = [plain(frames[i].get("name")) for i in (inner, outer)]
            if any(f["kind"] != "native" for f in between) or bool(between) != is_native_call(*pair):
                return None
        return [frames[i] for i in reversed(managed)]

    def is_whole(self, frames):
        return self.shape(frames) is not None

    def judge(self, case, frames):
        """Returns (are names right, are lines right, kind in LEFT_OUT or None)."""
        managed = self.shape(frames)
        if managed is None:
            return False, False, None
        chains, left_out = self.chains[case], None
        native = self._native(frames)
        names = [ALIAS.get(name, name) for name in (plain(f.get("name")) for f in managed)]
        if TRACER in names:
            managed, native, left_out = managed[:names.index(TRACER)], [], "tracer"
            if names[len(managed) - 1] not in chains.asking:
                return False, False, left_out
        found = [(name, f) for name, f in zip(names, managed) if not DISPATCH.match(name)]
        found = self._one_a_method(found)
        mine = own(case, managed[::-1])
        if not (is_right(case, mine) if mine else case == "Async"):
            return False, False, left_out
        n = chains.fit(found, lambda *_: True)
        names = [name for name, _ in found]
        if self._is_helper(found[-1][1], native):
            native = []
        if not self._is_tail(case, chains, found[:n], found[n:], native):
            return False, False, left_out
        if len(names) - n > (2 if case == "Stack" else 1):
            left_out = left_out or "library"
        good = chains.fit(found, self._is_line) == n
        if good and "line" not in found[n - 1][1] and MACHINES.fullmatch(names[n - 1]):
            return True, True, left_out or "no line"
        return True, good and self._is_leaf_line(*found[n - 1]), left_out

    def is_at_call(self, case, frames):
        """Returns whether the innermost user frame is managed and at a call of the program."""
        managed = self.shape(frames)
        inner = next((f for f in frames if f["kind"] != "kernel"), None)
        if not managed or inner is not managed[-1] or DISPATCH.match(plain(inner.get("name"))):
            return False
        found = [(name, f) for name, f in ((plain(f.get("name")), f) for f in managed) if not DISPATCH.match(name)]
        return self.chains[case].is_call(self._one_a_method(found), self._is_line)

    def _one_a_method(self, found):
        """Drops methods whose finally block is on the stack, too: in unoptimized code the runtime
        reports only the block."""
        is_final = self.source.is_final
        return [(name, f) for i, (name, f) in enumerate(found) if not (
            i + 1 < len(found) and name == found[i + 1][0] and is_final(found[i + 1][1]) and not is_final(f))]

    def _is_helper(self, frame, native):
        """Returns whether the native frames belong to the runtime's call counting, which
        unoptimized code and loops call, or to the compilation that follows it."""
        counts = frame.get("tier") == "Tier0" or self.source.is_loop(frame)
        return counts and (len(native) <= 2 or any(
            "libclrjit" in (f.get("module") or "") for f in native))

    def _native(self, frames):
        """Returns the native frames that the innermost managed frame called, [] if they belong to
        an interrupt."""
        found = [f for f in itertools.takewhile(lambda f: f["kind"] != "dotnet", frames)
                 if f["kind"] == "native"]
        if not found or found[-1].get("name") == "__restore_rt" or is_at(found[-1], SIGNAL):
            return []
        return [] if is_at(found[-1], HIJACK, 48) else found

    def _is_line(self, name, frame, line):
        """Returns whether a frame is at the reported line. If that is unknown, a frame of the
        programs may be at any line of its method."""
        if is_own(name) and not line:
            return self.source.is_line(frame, name)
        return frame.get("line", 0) == line

    def _is_leaf_line(self, name, frame):
        name = plain(frame.get("name"))
        return self.source.is_line(frame, name) if is_own(name) else "line" not in frame

    def _is_tail(self, case, chains, known, tail, native):
        """Returns whether the reported methods may call these library methods and this native code.

        A single native frame is an assembly helper, for example a write barrier, and is treated
        like a library method.
        """
        last = known[-1][0] if known else ""
        if not known or (tail or native) and not chains.may_call(last, not tail) and not (
                len(native) == 1 and not tail and chains.may_call(last, False)):
            return False
        files = [os.path.basename(f.get("module") or "") for f in native]
        if last == "Nest.Callback.Sort" and files[-1:] == ["libc.so.6"] and set(files) != {"libc.so.6"}:
            return False  # the C library calls no other method than Compare
        if any(a.get("name") == b.get("name") for (_, a), (_, b) in zip(tail, tail[1:])):
            return False
        return all(chains.library.match(name) or case == "Async" and is_own(name) for name, _ in tail)


def is_own(name):
    return name.startswith(("Nest.", "Large."))


class Tally:
    """Counts of the samples of one case or of all cases."""

    def __init__(self):
        self.n = self.complete = self.judged = self.names = self.lines = self.unnamed = 0
        self.hijacked = self.mistold = self.bounded = self.at_call = 0
        self.left_out, self.misses = dict.fromkeys(LEFT_OUT, 0), {}

    def add(self, judge, case, frames, stack, count, edge=False):
        self.n += count
        self.unnamed += count * any(f["kind"] == "dotnet" and not f.get("name") for f in frames)
        if stack["status"] != "complete":
            return self._incomplete(frames, stack.get("reason"), count)
        if edge:
            self.complete += count
            self.left_out["thread"] += count
            return None
        names, lines, left_out = judge.judge(case, frames)
        self.judged += count
        self.complete += count * judge.is_whole(frames)
        self.names += count * names
        self.lines += count * (names and lines)
        if case not in dotnet_calls.SHORT:
            self.bounded += count
            if names and judge.is_at_call(case, frames):
                self.at_call += count
                self.miss(f"{case}: the innermost frame is at a call, but the callee's frame is "
                          "missing", frames, count)
        if left_out:
            self.left_out[left_out] += count
        if not (names and lines):
            self.miss(f"{case}: wrong {'line' if names else 'names'}", frames, count)
        return None

    def _incomplete(self, frames, reason, count):
        if reason in (HIJACKED, "guessed frame"):
            self.mistold += count * (is_hijacked(frames) != (reason == HIJACKED))
        self.hijacked += count * is_hijacked(frames)
        self.miss(f"{reason}", frames, count)

    def miss(self, what, frames, count):
        label = lambda f: f.get("name") or os.path.basename(f.get("module") or "?") + "+" + f.get("off", "")
        text = f"{what}: " + " < ".join(f"{label(f)}:{f.get('line', '')}" for f in frames[:12])
        self.misses[text] = self.misses.get(text, 0) + count

    @property
    def figures(self):
        """The percentages of exact names, exact lines and complete stacks."""
        wrong = dotnet_calls.too_many(self.at_call, self.bounded)
        return (percent(max(0, self.names - wrong), self.judged), percent(max(0, self.lines - wrong), self.judged),
                percent(self.complete, self.n))

    def over(self):
        """Returns the kinds of samples that were left out more often than their limit allows."""
        return [f"{why}: {count} of {self.n}" for why, count in self.left_out.items()
                if count > max(1, self.n * LEFT_OUT[why] / 100)]


def percent(part, whole):
    return 100 * part / whole if whole else 0
