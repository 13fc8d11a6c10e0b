#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""v8_stacks.py: walks V8 stacks where fp does not lead to the caller.

  jspi    WebAssembly on its own stack: its frames, and a specific reason at the end
  deopt   a program that deoptimizes all the time: its stacks are complete
  copies  the same program, with a copy of the interpreter's entry for each function
  far     isolates too far from the binary, for which V8 10.2 copies the builtins
"""

import os
import sys
import time

from bounds import are_enough, reaches
from lib import TOP, Checks, folder, need_bpf, node, record, running, version_of

ASTRAY = ("frame pointer below stack pointer", "bad return address", "frame too large", "fault")
BOTTOM, WHOLE = 98, 99.5  # percent; bounds.py adds the scatter
LEAVES = ("leaf", "later", "inner", "WasmMemoryGrow")
FIT = 99  # percent; bounds.py adds the scatter
FAR_DURATIONS = "2500ms", "10s", "30s"  # the next one is used if a recording has too few samples
LATE = "process or thread is gone", "function moved or unreadable", "no code object at pc"
LEAF_LINES = range(15, 19)
CALLERS = [("(anonymous)", 22), ("middle", 22), ("(anonymous)", 49)]  # of leaf() in far.js
KNOWN = os.path.join(TOP, "fixtures/node/known/run.js")


def profile_of(*argv, duration="2500ms"):
    with folder() as tmp, running(argv, b"running") as child:
        time.sleep(0.5)
        return record("-p", child.pid, "-d", duration, out=os.path.join(tmp, "p.ndjson"))[1]


def astray(profile):
    return profile.count(lambda stack, frames, line: stack.get("reason") in ASTRAY)


def jspi(check):
    profile = profile_of(node(version_of("26")), os.path.join(TOP, "fixtures/node/jspi.js"))
    switched, n_switched, n_cut = {}, 0, 0
    for count, stack, frames, _ in profile.samples():
        names = [f.get("name") for f in frames]
        if stack.get("reason") == "stack switched by V8":
            n_switched += count
            if names[-1:] != ["WasmReturnPromiseOnSuspendAsm"]:
                n_cut += count  # a builtin in tail position lacks this frame
                continue
            assert "inner" not in names or names[-2] == "outer", names
            for leaf in LEAVES:
                switched[leaf] = switched.get(leaf, 0) + count * (leaf in names)
    check.that(all(switched.get(leaf) for leaf in LEAVES),
               "jspi: walks from each leaf function reach the end of the WebAssembly stack: "
               f"{switched}")
    check.that(reaches(n_switched - n_cut, n_switched, BOTTOM),
               f"jspi: of {n_switched} walks on a WebAssembly stack, all but {n_cut} reach the "
               "stack's outermost frame")
    lost = astray(profile)
    check.that(reaches(n_switched - lost, n_switched, WHOLE),
               f"jspi: at most a few walks end at an invalid frame: {lost}")


def is_computed(stack, frames, _):
    """Returns whether the deoptimizer computes a new frame, after it has removed the function's
    frame."""
    return any("Deoptimizer::DoCompute" in f.get("name", "") for f in frames)


def is_computed_whole(stack, frames, line):
    return (stack["status"] == "complete" and is_computed(stack, frames, line) and
            any(f["kind"] == "js" and f.get("name") for f in frames))


def deopt(check):
    for duration in ("2500ms", "15s"):  # a short recording may have no such stack
        profile = profile_of(node(version_of("20")), KNOWN, "20000", "osr", duration=duration)
        whole = profile.count(is_computed_whole)
        if whole:
            break
    n_computed = profile.count(is_computed)
    check.that(whole and whole * 2 >= n_computed,
               "deopt: at least half of the stacks sampled while V8 computes the new frame are "
               "complete: "
               f"{whole} of {n_computed}")
    lost, n = astray(profile), profile.count(lambda *_: True)
    # While DeoptimizationEntry fills the registers, its caller cannot be found.
    check.that(reaches(n - lost, n, WHOLE),
               f"deopt: at most a few walks end at an invalid frame: {lost} of {n}")


def copies(check):
    flag = "--interpreted-frames-native-stack"
    profile = profile_of(node(version_of("18")), flag, KNOWN, "20000", "osr", duration="5s")
    fresh = [(count, frame) for count, _, frames, _ in profile.samples() for frame in frames
             if frame.get("name") == "fresh"]
    strange = sum(n for n, f in fresh if f.get("reason") == "code of another function")
    known = sum(n for n, f in fresh if f.get("tier") == "interpreted" and f.get("line"))
    check.that(known >= 10 and strange * 20 <= known,
               "copies: frames in copies of the interpreter's entry have lines: "
               f"{known} have a line, {strange} do not")


def n_far(pid):
    """Returns the number of anonymous executable mappings of at least 1 MiB; only copies of the
    builtins are so long."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        lines = [line.split() for line in file]
    ranges = [[int(addr, 16) for addr in line[0].split("-")] for line in lines
              if "x" in line[1] and len(line) == 5]
    return sum(end - start >= 1 << 20 for start, end in ranges)


def is_late(frame):
    return frame.get("reason") in LATE


def is_exact(frames):
    """Returns whether all JavaScript frames have lines and no reason, and those of far.js nest as
    in its source."""
    if not all(f.get("line") and not f.get("reason") for f in frames):
        return False
    own = [(f["name"], f["line"]) for f in frames if (f.get("file") or "").endswith("/far.js")]
    return len(own) < 2 or own[0][0] == "leaf" and own[0][1] in LEAF_LINES and own[1:] == CALLERS or \
        own == CALLERS[-len(own):]


def far(check):
    """If an isolate ends or the collector moves its functions before the recorder reads them,
    frames have no name. The number of such frames depends on the machine; each such frame must have
    one of the LATE reasons."""
    for ms in "0", "150":
        for duration in FAR_DURATIONS:
            argv = [node(version_of("18")), "--no-opt", os.path.join(TOP, "fixtures/node/far.js"), ms]
            with folder() as tmp, running(argv, b"running") as child:
                time.sleep(0.5)
                n_copies = n_far(child.pid)
                profile = record("-p", child.pid, "-d", duration, out=os.path.join(tmp, "p.ndjson"))[1]
            js = [(n, [f for f in frames if f["kind"] == "js"]) for n, _, frames, _ in profile.samples()]
            n_js = sum(n for n, frames in js if frames)
            exact = sum(n for n, frames in js if frames and is_exact(frames))
            late = sum(n for n, frames in js
                       if any(map(is_late, frames)) and is_exact([f for f in frames if not is_late(f)]))
            if are_enough(exact, FIT):
                break
        check.that(n_copies, f"far: V8 made copies of its builtins; number of copies: {n_copies}")
        words = (f"far, {ms} ms: of {n_js} samples with JavaScript, at least {FIT} % are exact "
                 f"({exact}) or were read too late ({late})")
        check.that(are_enough(exact, FIT) and reaches(exact + late, n_js, FIT), words)
        if ms == "0":  # then no isolate ends, and no function moves after the start
            check.that(reaches(exact, n_js, BOTTOM),
                       f"far, {ms} ms: at least {BOTTOM} % of {n_js} samples are exact if no "
                       f"isolate ends: {exact}")


def main():
    need_bpf()
    check = Checks()
    copies(check)
    far(check)
    jspi(check)
    deopt(check)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
