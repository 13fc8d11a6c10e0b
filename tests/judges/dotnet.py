#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""dotnet.py VERSION: tests that the judge of .NET stacks detects each fault in 1 sample of 100.

The program of fixtures/dotnet/nesting.cs is recorded once. The unchanged profile must reach every
goal. With each fault of plant.py, a figure must be lower by the share of planted faults, so that a
goal is missed. Two faults are impossible in managed code, whose frames are never inlined and have
no columns. A missing leaf is planted and judged only in the cases that have a limit for it: all
except those in dotnet_calls.SHORT.
"""

import itertools
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../e2e"))

from cpu_time import CpuTime
from dotnet_calls import SHORT
from dotnet_nesting import CASES, POOL, Judge, Tally, is_own, percent, samples_of
from dotnet_truth import Recorder, plain
from lib import Checks, Profile, folder, need_bpf, record, running, skip
from parallel import each
from plant import FAULTS, World, plant
from tally import GOALS

HZ = 997
WARM_S, SECONDS, TRIES = 6, 16, 3
SETTLED_US = 3000000
NOT_MANAGED = "inlined frames are missing", "columns are off by one"
BOUNDED = [case for case in CASES if case not in SHORT]
CASES_OF = {"the leaf is missing": BOUNDED}
FOREIGN = {"kind": "dotnet", "name": "System.Math.Max(long, long)", "module": "System.Private.CoreLib",
           "tier": "R2R"}
# Without tiered compilation, no call-counting helper of the runtime is called by a method.
MODE = {"DOTNET_EnableDiagnostics": "0", "DOTNET_TieredCompilation": "0"}
FIRST = -20  # nice value; makes the CPU time of the threads predictable


def is_of_programs(frame):
    name = plain(frame.get("name"))
    return is_own(name) and not name.startswith("Nest.Truth.")


class Settled:
    """The part of a profile from SETTLED_US on."""

    def __init__(self, profile):
        self.summary = profile.summary
        self.lines = {"header": profile.of("header"), "samples": [
            {**line, "t": [t for t in itertools.accumulate(line["t"]) if t >= SETTLED_US]}
            for line in profile.of("samples")]}
        for line in self.lines["samples"]:
            line["t"] = [b - a for a, b in zip([0, *line["t"]], line["t"])]

    def of(self, kind):
        return self.lines[kind]

    @property
    def n(self):
        return sum(len(line["t"]) for line in self.of("samples"))


def recorded(program, path, tmp):
    """Records into @path; returns (reports of the runtime, expected number of samples)."""
    truth = Recorder(os.path.join(tmp, "truth"))
    env = {**os.environ, **MODE, "UNSPOOL_TRUTH": truth.path}
    with running([program], wait_for=b"ready", env=env) as child:
        time.sleep(WARM_S)
        for tid in os.listdir(f"/proc/{child.pid}/task"):
            os.setpriority(os.PRIO_PROCESS, int(tid), FIRST)
        truth.start()
        with CpuTime([child.pid]) as cpu:
            profile = record("-p", child.pid, "-d", f"{SECONDS}s", out=path, hz=HZ, timeout=90)[1]
        truth.stop()
    return truth.chains(), cpu.samples(Settled(profile))


def figures(path, chains, expected, cases=tuple(CASES)):
    """{figure: %}, and the tally."""
    profile, judge, tally = Profile(path), Judge(chains), Tally()
    for case, *sample in samples_of(profile, SETTLED_US):
        if case in cases:
            tally.add(judge, case, *sample)
    return dict(zip(GOALS, (*tally.figures, percent(Settled(profile).n, expected)))), tally


def threads(path, cases):
    return {line["tid"] for line in Profile(path).of("thread")
            if ("Async" if line["name"] == POOL else line["name"][1:]) in cases}


def main():
    need_bpf()
    os.nice(FIRST)
    program = os.path.join(os.environ.get("UNSPOOL_DOTNET_DIR", ""), f"{sys.argv[1]}-nesting/nesting")
    if not os.access(program, os.X_OK):
        skip(f"the program {sys.argv[1]}-nesting, which ci/dotnet builds, is missing")
    check = Checks()
    with folder() as tmp:
        good = os.path.join(tmp, "good.ndjson")
        for _ in range(TRIES):
            chains, expected = recorded(program, good, tmp)
            clean, tally = figures(good, chains, expected)
            print(f".NET {sys.argv[1]}: the unchanged profile has {tally.n} samples and the "
                  f"figures {clean}; "
                  f"{tally.at_call} of {tally.bounded} samples lack the callee of a call",
                  flush=True)
            if all(goal <= clean[name] <= 200 - goal for name, goal in GOALS.items()):
                break
        for miss, count in sorted(tally.misses.items(), key=lambda x: -x[1])[:8]:
            print(f"    {count} {miss}")
        check.that(all(goal <= clean[name] <= 200 - goal for name, goal in GOALS.items()),
                   "the unchanged profile reaches every goal")

        def planted_and_judged(name):
            bad, cases = os.path.join(tmp, f"{name}.ndjson"), CASES_OF.get(name, CASES)
            tids = threads(good, cases)
            world = World(is_of_programs, FOREIGN,
                          lambda line: line["tid"] in tids and line["t"][0] >= SETTLED_US)
            planted = plant(good, bad, FAULTS[name][1], world)
            was, now = (figures(path, chains, expected, cases)[0][FAULTS[name][0]] for path in (good, bad))
            return planted, was, now

        for name, (planted, was, now) in each(planted_and_judged, FAULTS):
            figure = FAULTS[name][0]
            if name in NOT_MANAGED:
                check.equal(planted.n, 0, f"{name}: not possible", quiet=True)
                continue
            check.that(planted.is_noticed(GOALS[figure], was, now),
                       f"the judge notices the fault `{name}` in {planted.n} of "
                       f"{planted.total} samples: {figure} {now:.2f} %")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
