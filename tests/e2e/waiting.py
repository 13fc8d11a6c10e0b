#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""waiting.py MAJOR...: checks that with --async a stack continues with the functions that await its
outermost one.

In fixtures/node/async.js functions await one another in every possible way, and V8 reports the
awaiters ("at async" in Error.stack). All versions are recorded at once. For each sample in the
program's leaf, the frames of the program must match one of V8's stacks: by name, by line, and by
whether a function is on the stack or awaits.
"""

import collections
import contextlib
import json
import os
import sys

from bounds import most_misses, reaches
from lib import TOP, Checks, at_once, folder, need_bpf, node, record, running, version_of

PROGRAM = os.path.join(TOP, "fixtures/node/async.js")
COMBINATOR = "Promise.all"
DURATIONS = "2500ms", "15s"  # the second duration is used if the first results in too few samples
ENOUGH = 60
GOAL = 99.9  # percent
SCENES_SEEN = 8


def callers(frames):
    """Returns the callers of leaf() in the program, innermost first, or None if the sample is not
    in leaf()."""
    own = [f for f in frames if f.get("file") == PROGRAM
           or f.get("async") and f.get("name") == COMBINATOR]
    if not own or own[0].get("name") != "leaf":
        return None
    return [(f.get("name"), f.get("line", 0), f.get("async", False)) for f in own[1:]]


def is_told(stack, told):
    """Returns whether V8 reported this stack. Where V8 reports no name, the profile may have
    one."""
    return len(stack) == len(told) and all(
        there["name"] in (None, name) and (there["line"], there["async"]) == (line, is_async)
        for (name, line, is_async), there in zip(stack, told))


class Figures:
    """Compares the samples of one process with the stacks that the process printed."""

    def __init__(self, told, profile, pid):
        self.seen, self.misses = collections.Counter(), collections.Counter()
        for count, _, frames, line in profile.samples():
            stack = callers(frames) if line["pid"] == pid else None
            if stack is None:
                continue
            scene = next((i for i, there in enumerate(told) if is_told(stack, there)), None)
            if scene is None:
                reasons = {f["reason"] for f in frames if f.get("async") and "reason" in f}
                self.misses[f"{stack} {reasons or ''}"] += count
            else:
                self.seen[scene] += count
        self.exact = sum(self.seen.values())
        self.n = self.exact + sum(self.misses.values())


def measure(children, tmp, duration):
    """Returns a profile with --async and one without it, recorded at the same time."""
    found = {}

    def one(options):
        pids = ",".join(str(child.pid) for child in children)
        _, found[options] = record("-p", pids, "-d", duration, *options,
                                   out=os.path.join(tmp, f"{len(options)}.ndjson"))

    at_once(2, [lambda: one(("--async",)), lambda: one(())])
    return found[("--async",)], found[()]


def judge(check, version, told, profile, plain, pid):
    f = Figures(told, profile, pid)
    print(f"{version}: {f.exact} of {f.n} samples in the leaf have a stack that V8 reports; "
          f"{len(f.seen)} of the {len(told)} stacks that V8 reports were sampled", flush=True)
    for miss, count in f.misses.most_common(5):
        print("   ", count, miss)
    check.that(f.n >= ENOUGH, f"{version}: the profile has enough samples in the leaf: "
                              f"{f.n}", quiet=True)
    check.that(reaches(f.exact, f.n, GOAL), f"{version}: at most {most_misses(f.n, GOAL)} of"
               f" {f.n} stacks are allowed to differ from V8's stacks: {f.n - f.exact} stacks "
               "differ", quiet=True)
    check.that(len(f.seen) >= SCENES_SEEN,
               f"{version}: at least {SCENES_SEEN} of V8's stacks were sampled",
               quiet=True)
    # The judge must refuse wrong stacks.
    wrong = [[*there[:-2], there[-1], there[-2]] for there in told]
    check.equal(Figures(wrong, profile, pid).exact, 0,
                f"{version}: the judge refuses stacks in which two callers are swapped",
                quiet=True)
    bare = Figures(told, plain, pid)
    check.that(bare.n >= ENOUGH and not bare.exact,
               f"{version}: without --async no stack is one of V8's", quiet=True)


def main():
    need_bpf()
    versions = [version_of(major) for major in sys.argv[1:]]
    check = Checks()
    with folder() as tmp, contextlib.ExitStack() as stack:
        children = [stack.enter_context(running([node(v), PROGRAM])) for v in versions]
        told = [json.loads(child.stdout.readline()) for child in children]
        for duration in DURATIONS:
            profile, plain = measure(children, tmp, duration)
            if not check.that(profile and plain,
                              "profiles were recorded with and without --async", quiet=True):
                return check.end()
            counts = [Figures(t, p, c.pid).n for t, c in zip(told, children)
                      for p in (profile, plain)]
            if min(counts) >= ENOUGH:
                break
        for version, answer, child in zip(versions, told, children):
            judge(check, version, answer, profile, plain, child.pid)
        check.that(not any(f.get("async") for f in plain.of("frame")),
                   "without --async the profile has no awaiters")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
