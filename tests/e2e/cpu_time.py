# SPDX-License-Identifier: BSD-2-Clause
"""Computes the expected number of samples of a recording: the CPU time of the recorded processes
times the sampling frequency."""

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
    """Reads the CPU time of processes during a recording; the processes must not exit meanwhile."""

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
        """Returns the number of samples expected for the CPU time between the first and the last
        sample.

        The profile's clock starts before the first sample can be taken, because the recorder first
        sets up.
        """
        header, seconds = profile.of("header")[0], profile.summary["duration_ns"] / 1e9
        times = [t for line in profile.of("samples") for t in itertools.accumulate(line["t"])]
        begin, end = (header["start_boottime_ns"] + 1000 * t for t in (min(times), max(times)))
        self.periods = header["hz"] * seconds * os.cpu_count()
        return (self._at(end) - self._at(begin)) * header["hz"] / 1e9

    def goal(self, goal, expected):
        """Returns @goal in %, minus two standard errors of the number of samples.

        A sample is taken when a sampling period ends while a process runs. On an idle machine the
        processes run all the time, so the error is small.
        """
        others = max(0, 1 - expected / self.periods)
        return goal - 200 * math.sqrt(expected * others) / expected
