# SPDX-License-Identifier: BSD-2-Clause
"""Compares the share of .NET's collector with the CPU time of the thread that collects.

After each collection fixtures/dotnet/nesting.collect.cs prints the time and the CPU time that its
thread has spent in GC.Collect() so far. Between the first and the last of these lines within the
recording, the collector must have one sample for each sampling period of that CPU time, at any
load. A difference of one sample at either end of each collection is tolerated, and so is the time
that GC.Collect() spends on other work than collecting. The pauses that the runtime reports must be
at least as long as that CPU time, as no other thread collects.
"""

import itertools
import math
import os
import re
import time

from lib import record, running

HZ = 997
THREAD = "collect"
LINE = re.compile(rb"collected (\d+) (\d+) (\d+)\n")
MIN_SAMPLES = 400
# Allowed share of GC.Collect() outside of collecting: stops of threads, waiting, finalizers.
OVERHEAD = 0.03


class Collections:
    """For each collection during a recording: the CPU time and the boot time, in ns, and the sum of
    pauses, in us, at its end."""

    def __init__(self, text, start, end):
        self.all = [tuple(map(int, found)) for found in LINE.findall(text)]
        self.all = [one for one in self.all if start <= one[1] <= end]

    def between(self):
        first, last = self.all[0], self.all[-1]
        return first[1], last[1], last[0] - first[0], 1000 * (last[2] - first[2])


def samples(profile, wanted, start, end):
    """Returns how many samples the collecting thread has in the @wanted activities between two
    times."""
    began = profile.of("header")[0]["start_boottime_ns"]
    thread = next((x["tid"] for x in profile.of("thread") if x["name"] == THREAD), None)
    return sum(start <= began + 1000 * t <= end for line in profile.of("samples")
               if line["tid"] == thread and wanted(line.get("labels", {}).get("activity"))
               for t in itertools.accumulate(line["t"]))


def is_right(found, cpu_ns, n):
    """Returns whether @found is a plausible number of samples for @n collections that took @cpu_ns
    of CPU time."""
    due = cpu_ns * HZ / 1e9
    margin = 4 * math.sqrt(due) + n ** 0.5
    return due >= MIN_SAMPLES and due * (1 - OVERHEAD) - margin <= found <= due + margin


def judge(check, program, environment, seconds, tmp):
    path = os.path.join(tmp, "collect.out")
    with open(path, "wb") as out, running([program, "collect"], stdout=out, env=environment) as target:
        time.sleep(2)
        done, profile = record("-p", target.pid, "-d", seconds, out=os.path.join(tmp, "gc.ndjson"), hz=HZ)
    if not check.that(done.returncode == 0 and profile,
                      f"the recording of collections succeeds ({done.stderr})"):
        return
    began = profile.of("header")[0]["start_boottime_ns"]
    with open(path, "rb") as out:
        known = Collections(out.read(), began + 1e9, began + profile.summary["duration_ns"] - 5e8)
    if not check.that(len(known.all) >= 3,
                      f"the program printed at least 3 collections ({len(known.all)})", quiet=True):
        return
    start, end, cpu, paused = known.between()
    found, others = (samples(profile, wanted, start, end)
                     for wanted in (lambda a: a == "gc", lambda a: a != "gc"))
    n = len(known.all)
    print(f"collector: {found} samples of gc; {cpu * HZ / 1e9:.0f} are expected for "
          f"{cpu / 1e6:.0f} ms of CPU time in {n} collections, which paused the "
          f"program for {paused / 1e6:.0f} ms; {others} samples have other activities")
    check.that(is_right(found, cpu, n),
               f"the number of gc samples matches the CPU time of the collections ({found})")
    check.that(cpu * (1 - OVERHEAD) <= paused,
               "the pauses that the runtime reports are at least as long as the collections' CPU "
               "time")
    check.that(not is_right(others, cpu, n),
               "the check fails if it counts the samples of other activities as gc", quiet=True)
    check.that(not is_right(0.8 * found, cpu, n),
               "the check fails if it counts only four fifths of the gc samples", quiet=True)
