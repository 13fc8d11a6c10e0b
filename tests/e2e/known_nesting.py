#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""known_nesting.py MAJOR: programs that know their nesting, under one Node.js, in three modes.

Every sample that holds a frame of the programs is judged against all that their stacks can
be (nesting.py). Where V8 has not built the leaf's frame yet, or no more (prologue,
epilogue), or its tables know no position, the profile gives the reason on the frame: such
samples are counted apart as `window`; a wrong stack without a reason is never excused.

  leaf     samples whose innermost frame is a function of the programs
  exact    of those, with exactly the program's nesting of names, in %
  window   of those, in a window, in %
  outside  exact in % of those that are in no window
  gap      of those, not exact, but right with frames left out (as inlining not undone)
  above    samples of a builtin, V8 or the kernel called by them, and exact in % of those
  lines    of all with exact names and in no window: each line exact, too, in %
  inlined  samples of which a frame was inlined
  wasm     samples with frames of WebAssembly
  complete of all samples of the process, in %; what is missing is in libc, which keeps no
           frame pointers, below the event loop and V8's own threads
"""

import os
import sys
import time

from lib import TOP, Checks, folder, need_bpf, node, record, running, version_of
from nesting import Judge

KNOWN = os.path.join(TOP, "fixtures/node/known")
FIRST = ["calls", "mutual", "deep", "shapes", "closures", "callbacks", "waits"]
HEADER = ("Node.js", "mode", "samples", "leaf", "exact", "window", "outside", "gap", "above",
          "exact", "lines", "inlined", "wasm", "complete", "lost")


def modes(version):
    """(name, flags, work of a leaf's loop, programs beside the first)"""
    no_maglev = ["--no-maglev"] if int(version.split(".")[0]) >= 20 else []
    return (("jitless", ["--jitless"], 2000, []),
            ("baseline", ["--always-sparkplug", "--no-opt", *no_maglev], 4000, []),
            ("default", [], 20000, ["wasm"]))


class Figures:
    """Counts of one recording."""

    def __init__(self, judge, profile):
        self.judge = judge
        self.leaf = self.exact = self.window = self.window_exact = self.gap = 0
        self.above = self.above_exact = self.named = self.lined = self.inlined = self.wasm = 0
        self.misses = []
        for count, _, frames, _ in profile.samples():
            self.add(count, frames)
        self.summary = profile.summary

    def add(self, count, frames):
        known = [f for f in frames if self.judge.locate(f)]
        nameless = [f for f in frames if f["kind"] in ("js", "wasm") and not f.get("name")]
        if not known:
            return
        stack = [self.judge.locate(f) for f in reversed(known)]
        first_js = next(f for f in frames if f["kind"] == "js")
        in_window = "reason" in first_js or "reason" in frames[0]
        exact = not nameless and self.judge.names_exact(stack)
        if frames[0] is known[0]:
            self.leaf += count
            self.exact += count * exact
            self.window += count * in_window
            self.window_exact += count * (in_window and exact)
            self.gap += count * (not exact and self.judge.has_gap(stack))
        else:
            self.above += count
            self.above_exact += count * exact
        self.inlined += count * any(f.get("inlined") for f in known)
        self.wasm += count * any(f["kind"] == "wasm" for f in known)
        lined = exact and self.judge.lines_exact(stack)
        if exact and not in_window:
            self.named += count
            self.lined += count * lined
        if not lined:
            tail = " < ".join(f"{f.get('name')}:{f.get('line')}" for f in frames[:5])
            self.misses.append(f"{count} {tail} {first_js.get('reason', '')}")

    @property
    def outside(self):
        return percent(self.exact - self.window_exact, self.leaf - self.window)

    @property
    def lines(self):
        return percent(self.lined, self.named)

    @property
    def complete(self):
        return percent(self.summary["complete"], self.summary["samples"])


def percent(part, whole):
    return 100 * part / whole if whole else 0


def row(cells):
    print(" ".join(f"{f'{c:.2f}' if isinstance(c, float) else c:>8}" for c in cells), flush=True)


def measure(version, flags, work, programs, duration):
    programs = FIRST + programs if programs else []
    argv = [node(version), *flags, os.path.join(KNOWN, "run.js"), str(work), *programs]
    with folder() as tmp, running(argv, b"running") as child:
        time.sleep(0.5)
        _, profile = record("-p", child.pid, "-d", duration, out=os.path.join(tmp, "p.ndjson"))
    return profile


def judge_mode(check, judge, version, mode):
    name, flags, work, programs = mode
    for duration in ("2500ms", "15s"):  # the longer one decides where the short one falls short
        profile = measure(version, flags, work, programs, duration)
        if not check.that(profile, f"{version} {name}: there is a profile", quiet=True):
            return
        f = Figures(judge, profile)
        if f.leaf >= 100 and f.complete >= 95:
            break
    row((version, name, f.summary["samples"], f.leaf, percent(f.exact, f.leaf),
         percent(f.window, f.leaf), f.outside, f.gap, f.above, percent(f.above_exact, f.above),
         f.lines, f.inlined, f.wasm, f.complete, f.summary["lost"]))
    for miss in f.misses[:12]:
        print("    not exact:", miss)
    check.that(f.leaf >= 100, f"{version} {name}: {f.leaf} samples in the programs", quiet=True)
    if name == "jitless":
        check.that(percent(f.exact, f.leaf) >= 99, f"{version} {name}: 99 % exact", quiet=True)
    check.that(f.outside >= 99, f"{version} {name}: 99 % exact outside windows", quiet=True)
    check.that(percent(f.exact + f.above_exact, f.leaf + f.above) >= 99,
               f"{version} {name}: 99 % exact, also of what the programs call", quiet=True)
    check.that(f.wasm or not programs, f"{version} {name}: samples in wasm", quiet=True)
    if name != "default":
        check.that(f.lines >= 99, f"{version} {name}: 99 % of lines exact", quiet=True)
    check.that(f.complete >= 95, f"{version} {name}: 95 % complete", quiet=True)


def main():
    need_bpf()
    version = version_of(sys.argv[1])
    node(version)
    check = Checks()
    row(HEADER)
    for mode in modes(version):
        judge_mode(check, Judge(KNOWN), version, mode)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
