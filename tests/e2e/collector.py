#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""collector.py MAJOR[:MODE]...: compares the samples in V8's garbage collector with the times at
which the collector runs by V8's own report.

V8 calls the program at the start and at the end of each collection. The program then stores the
time of CLOCK_MONOTONIC. Samples have the time of CLOCK_BOOTTIME, which differs only by an offset.
So each sample can be classified as inside or outside a collection, even if the collector was
waiting for a CPU or for helper threads. The sums that --trace-gc prints verify these times. There
are two runs:

  paused  records all threads of a process that does nothing else during a collection
  usual   records one thread with V8's default flags; the thread also marks between collections

Samples are compared one by one, so the comparison has no error that depends on their number. As
negative controls, the check must fail for collections shifted by 0.2 s, and for the samples outside
of gc.
"""

import bisect
import collections
import json
import os
import re
import signal
import sys
import time

import results
from lib import TOP, Checks, folder, need_bpf, node, record, running, unspool, version_of

GARBAGE = os.path.join(TOP, "fixtures/node/garbage.js")
ENOUGH = 3000  # samples
LEAST_PAUSED = 60  # samples in collections, so that the 5 % that may miss are at least three
PAUSED = ["--single-threaded", "--no-incremental-marking"]
MODES = (("paused", PAUSED, "-p"), ("usual", [], "-t"))
# V8's names for functions of the collector; v8_activity.c has its own list.
COLLECTS = re.compile(r"v8::internal::(Heap|Scaveng|MarkCompact|Incremental|Sweep)")
TRACED = re.compile(rb" ms: (?:Scavenge|Mark).* ([0-9.]+) / [0-9.]+ ms ")


class Pauses:
    def __init__(self, pauses, early=0):
        self.pauses = sorted((a - early, b - early) for a, b in pauses)
        self.starts = [a for a, _ in self.pauses]

    def holds(self, at):
        i = bisect.bisect(self.starts, at) - 1
        return i >= 0 and at <= self.pauses[i][1]

    @property
    def ms(self):
        return sum(b - a for a, b in self.pauses) / 1e6


def asleep():
    """Returns CLOCK_BOOTTIME minus CLOCK_MONOTONIC, from the two closest of 100 pairs of
    readings."""
    now = time.clock_gettime_ns
    return max(now(time.CLOCK_BOOTTIME) - now(time.CLOCK_MONOTONIC) for _ in range(100))


def times(profile):
    """Yields for each sample its time in ns of CLOCK_MONOTONIC, and its frames."""
    start = profile.of("header")[0]["start_boottime_ns"] - asleep()
    for _, _, frames, line in profile.samples():
        at = start
        for delta in line["t"]:
            at += delta * 1000
            yield at, frames


class Figures:
    """Counts samples: all, those taken during a collection by V8's times, and those with a frame of
    the collector."""

    def __init__(self, pauses, profiles):
        self.n = self.paused = self.counted = self.named = self.others = 0
        for at, frames in (sample for profile in profiles for sample in times(profile)):
            held = pauses.holds(at)
            named = any(COLLECTS.match(f.get("name") or "") for f in frames)
            self.n += 1
            self.paused += held
            # by_activity does not count samples in the kernel as gc.
            self.counted += held and frames[0]["kind"] != "kernel"
            self.named += held and named
            self.others += named and not held

    @property
    def agrees(self):
        return self.paused > 0 and self.named >= 0.95 * self.paused


def report_share(path):
    found = re.search(r" GC ([0-9.]+) %", unspool("report", path).stdout)
    return float(found.group(1)) if found else 0.0


def measure(version, flags, which, tmp):
    """Records until there are enough samples; returns (profiles, first path, child's output)."""
    profiles, first = [], os.path.join(tmp, "0.ndjson")
    argv = [node(version), "--trace-gc", *flags, GARBAGE]
    with running(argv, b"running") as child:
        while len(profiles) < 10 and sum(p.summary["samples"] for p in profiles) < ENOUGH:
            out = os.path.join(tmp, f"{len(profiles)}.ndjson")
            done, profile = record(which, child.pid, "-d", "4s", out=out)
            if not profile:
                raise AssertionError(f"unspool wrote no profile: {done.stderr.strip()}")
            profiles.append(profile)
        child.send_signal(signal.SIGTERM)
        return profiles, first, child.stdout.read()


def judge(check, version, mode, tmp):
    name, flags, which = mode
    profiles, first, output = measure(version, flags, which, tmp)
    told = json.loads(next(l for l in output.splitlines() if l.startswith(b"{")))["pauses"]
    pauses, words = Pauses(told), f"{version} {name}"
    f, late = Figures(pauses, profiles), Figures(Pauses(told, early=2e8), profiles)
    traced = sum(float(ms) for ms in TRACED.findall(output))
    act = sum((collections.Counter(p.summary["by_activity"]) for p in profiles),
              collections.Counter())
    total = act.total()
    margin = f.others + 0.02 * f.counted  # samples at the start or end of a collection
    print(f"{words}: {f.n} samples; {f.paused} were taken during {len(told)} collections, and "
          f"{f.named} of these have a frame of the collector; {f.others} samples outside of "
          f"collections also have such a frame; by_activity counts {act['gc']} samples as gc, "
          f"whereas {f.counted} +- "
          f"{margin:.0f} were expected; --trace-gc printed {traced:.0f} ms of collections, whereas "
          f"the program measured {pauses.ms:.0f} ms", flush=True)
    results.add(version=version, mode=name, samples=f.n, in_collections=f.paused, by_frames=f.named,
                others=f.others, gc=act["gc"], gc_by_clock=f.counted)
    check.that(f.n >= ENOUGH / 2 and f.paused >= LEAST_PAUSED,
               f"{words}: enough samples were recorded, and enough of these samples are in "
               "collections")
    check.that(abs(traced - pauses.ms) <= 0.1 * pauses.ms,
               f"{words}: the total times that --trace-gc and the program print differ by at most "
               "10 %")
    check.that(f.agrees,
               f"{words}: at least 95 % of the samples in collections have a frame of the "
               "collector")
    check.that(not late.agrees,
               f"{words}: the check fails if the times of the collections are shifted by 0.2 s",
               quiet=True)
    check.that(f.others <= 0.05 * f.n,
               f"{words}: at most 5 % of the samples have a frame of the collector outside of "
               "collections",
               quiet=True)
    check.that(abs(act["gc"] - f.counted) <= margin,
               f"{words}: by_activity counts samples in collections as gc, except samples "
               "in the kernel")
    check.that(abs(total - act["gc"] - f.counted) > margin,
               f"{words}: the check fails for the samples that by_activity does not count as gc",
               quiet=True)
    one = profiles[0].summary["by_activity"]
    check.that(abs(report_share(first) - 100 * one["gc"] / sum(one.values())) <= 0.06,
               f"{words}: the report prints the same share of gc as by_activity")


def main():
    need_bpf()
    check = Checks()
    for major, _, wanted in (arg.partition(":") for arg in sys.argv[1:]):
        for mode in (m for m in MODES if wanted in ("", m[0])):
            with folder() as tmp:
                judge(check, version_of(major), mode, tmp)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
