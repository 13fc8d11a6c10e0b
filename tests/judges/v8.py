#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""v8.py MAJOR: tests that the judge of V8 stacks detects each fault in 1 sample of 100.

Programs of fixtures/node/known are recorded once. The unchanged profile must reach every goal. With
each fault of plant.py, a figure must be lower by the share of planted faults, so that a goal is
missed.
"""

import contextlib
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../e2e"))

from cpu_time import CpuTime
from known_source import programs
from lib import Checks, Profile, folder, need_bpf, node, record, version_of
from matrix import KNOWN, start
from parallel import each
from plant import FAULTS, World, plant
from tally import GOALS, Figures, Tally

RECORDED = "callbacks", "osr", "eval", "workers"  # no function runs in two threads
SECONDS = 8
FIRST = -20  # nice
TRIES = 6
FOREIGN = {"kind": "js", "name": "emit", "file": "node:events", "line": 519, "column": 28,
           "tier": "turbofan"}
FUNCTIONS = {(p.path, name): lines for p in programs(KNOWN).values()
             for name, lines in p.functions.items()}


def is_own(frame):
    name, file = frame.get("name"), frame.get("file") or ""
    return (file, name) in FUNCTIONS or file.startswith("eval at ") and KNOWN in file


def is_within(frame, line):
    first, last = FUNCTIONS.get((frame["file"], frame["name"]), (line, line))
    return first <= line <= last


def recorded(path, version):
    """Records into @path; returns ({pid: judges}, expected number of samples)."""
    with folder() as tmp, contextlib.ExitStack() as stack:
        started = [start(stack, tmp, version, "default", name) for name in RECORDED]
        time.sleep(2)
        pids = [child.pid for child, _ in started]
        for tid in (tid for pid in pids for tid in os.listdir(f"/proc/{pid}/task")):
            os.setpriority(os.PRIO_PROCESS, int(tid), FIRST)  # makes the CPU time predictable
        with CpuTime(pids) as cpu:
            profile = record("-p", ",".join(map(str, pids)), "-d", f"{SECONDS}s", out=path,
                             timeout=300)[1]
        return {child.pid: judges for child, judges in started}, cpu.samples(profile)


def figures(path, judges, expected):
    profile = Profile(path)
    return Figures([Tally(each, profile, pid) for pid, each in judges.items()], profile, expected)


def main():
    need_bpf()
    version = version_of(sys.argv[1])
    node(version)
    os.nice(FIRST)
    check = Checks()
    with folder() as tmp:
        good = os.path.join(tmp, "good.ndjson")
        for _ in range(TRIES):
            judges, expected = recorded(good, version)
            clean = figures(good, judges, expected)
            print(f"{version}: {clean}", flush=True)
            if clean.good:
                break
        for miss, count in clean.misses.most_common(8):
            print(f"    {count} {miss}")
        if not check.that(clean.good, f"{version}: the unchanged profile reaches every goal"):
            return check.end()

        def planted_and_judged(name):
            bad = os.path.join(tmp, f"{name}.ndjson")
            world = World(is_own, FOREIGN, lambda line: line["pid"] in judges, is_within)
            planted = plant(good, bad, FAULTS[name][1], world)
            return planted, figures(bad, judges, expected).percent[FAULTS[name][0]]

        for name, (planted, now) in each(planted_and_judged, FAULTS):
            figure = FAULTS[name][0]
            was = clean.percent[figure]
            check.that(planted.is_noticed(GOALS[figure], was, now),
                       f"{version}: the judge notices the fault `{name}` in {planted.n} of "
                       f"{planted.total} samples: {figure} {now:.2f} %")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
