#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""known_nesting.py MAJOR: runs programs of known nesting with one version of Node.js, in three
modes.

The modes run at the same time, each in its own process, with the judge and the goals of ci/matrix
(tally.py). bounds.py determines how many samples may miss a goal, and how many are required. If a
mode has too few samples, all are recorded again, for longer.
"""

import contextlib
import os
import sys
import time

from bounds import are_enough, most_misses, reaches
from lib import Checks, folder, need_bpf, node, record, running, version_of
from matrix import KNOWN, PROGRAMS, RECORDER_NICE, judges_of, modes
from tally import GOALS, Figures, Tally

MODES = "jitless", "sparkplug", "default"
DURATIONS = "5s", "20s"


def programs(mode):
    return PROGRAMS["nesting"] + (["wasm"] if mode == "default" else [])


def measure(version, duration):
    """Makes one recording; returns {mode: Tally}."""
    known = modes(int(version.split(".")[0]))
    with folder() as tmp, contextlib.ExitStack() as stack:
        pids = {}
        for mode in MODES:
            flags, work = known[mode]
            argv = ["nice", "-n", str(-RECORDER_NICE), node(version), *flags,
                    os.path.join(KNOWN, "run.js"), str(work), *programs(mode)]
            pids[mode] = stack.enter_context(running(argv, b"running")).pid
        time.sleep(2)
        profile = record("-p", ",".join(map(str, pids.values())), "-d", duration,
                         out=os.path.join(tmp, "p.ndjson"), timeout=120)[1]
        return {mode: Tally(judges_of(programs(mode)), profile, pid)
                for mode, pid in pids.items()} if profile else {}


def judge_mode(check, label, tally):
    found = Figures([tally])
    print(f"{label}: {found}", flush=True)
    for miss, count in tally.misses.most_common(8):
        print(f"    {count} {miss}")
    if tally.incomplete:
        print(f"    reasons of incomplete stacks: {dict(tally.incomplete)}")
    for name in ("names", "lines", "complete"):
        n = tally.samples if name == "complete" else tally.n
        right = round(n * found.percent[name] / 100)
        check.that(reaches(right, n, GOALS[name]),
                   f"{label}: at most {most_misses(n, GOALS[name])} of"
                   f" {n} samples are allowed to miss the goal for {name}: {n - right} samples "
                   "miss "
                   "it", quiet=True)


def main():
    need_bpf()
    version = version_of(sys.argv[1])
    node(version)
    os.nice(RECORDER_NICE)
    check, found = Checks(), {}
    for duration in DURATIONS:
        found = measure(version, duration)
        if found and all(are_enough(tally.n, GOALS["names"]) for tally in found.values()):
            break
    check.that(found, f"{version}: `record` wrote a profile", quiet=True)
    for mode, tally in found.items():
        label = f"{version} {mode}"
        if check.that(are_enough(tally.n, GOALS["names"]),
                      f"{label}: the profile has enough samples: {tally.n}",
                      quiet=True):
            judge_mode(check, label, tally)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
