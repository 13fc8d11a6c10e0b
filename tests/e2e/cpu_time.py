# SPDX-License-Identifier: BSD-2-Clause
"""The expected number of samples of a recording: the CPU time of its processes times the rate."""

import bisect
import itertools
import math
import os
import threading
import time

SCHED = 2  # CPUCLOCK_SCHED of include/linux/posix-timers.h: all threads of a process
EVERY_SECONDS = 0.01


def _cpu_ns(pid):
    return time.clock_gettime_ns((~pid << 3) | SCHED)


class CpuTime:
    """Reads the CPU time of processes during a recording; they must not exit meanwhile."""

    def __init__(self, pids):
        self.pids, self.times, self.totals, self.periods = pids, [], [], 0
        self.ended = threading.Event()
        self.watcher = threading.Thread(target=self._watch)

    def _watch(self):
        while True:
            before = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            total = sum(_cpu_ns(pid) for pid in self.pids)
            after = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            self.times.append((before + after) // 2)
            self.totals.append(total)
            if self.ended.wait(EVERY_SECONDS):
                return

    def __enter__(self):
        self.watcher.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.watcher.join()

    def _at(self, when):
        i = min(max(bisect.bisect(self.times, when), 1), len(self.times) - 1)
        (a, b), (t, u) = self.totals[i - 1:i + 1], self.times[i - 1:i + 1]
        return a + (b - a) * (when - t) / (u - t)

    def samples(self, profile):
        """The samples expected for the CPU time between the first and the last sample.

        The recorder's clock starts before its sampling, by the time of its setup.
        """
        header, seconds = profile.of("header")[0], profile.summary["duration_ns"] / 1e9
        times = [t for line in profile.of("samples") for t in itertools.accumulate(line["t"])]
        begin, end = (header["start_boottime_ns"] + 1000 * t for t in (min(times), max(times)))
        self.periods = header["hz"] * seconds * os.cpu_count()
        return (self._at(end) - self._at(begin)) * header["hz"] / 1e9

    def goal(self, goal, expected):
        """Returns @goal in %, less two standard errors of the number of samples.

        A sample is a period that ends while a process runs. On an idle machine the processes have
        all CPUs, and the error is small.
        """
        others = max(0, 1 - expected / self.periods)
        return goal - 200 * math.sqrt(expected * others) / expected
