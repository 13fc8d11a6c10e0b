#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Takes a CPU offline and back online during a recording. Then the CPU is sampled again. The CPU's
ring of the flight recorder stays readable, the time offline does not count as lost samples, and
processes that start on the CPU later have names."""

import json
import os
import subprocess
import sys
import time

from lib import UNSPOOL, Checks, Profile, folder, need_bpf, running, skip, wait_until

CPU = max(os.sched_getaffinity(0))
SWITCH = f"/sys/devices/system/cpu/cpu{CPU}/online"
SPIN = [sys.executable, "-c", "while True: pass"]
HZ = 499


def switch(on):
    with open(SWITCH, "w", encoding="ascii") as file:
        file.write("1" if on else "0")


def flight(pid, *args):
    return subprocess.run([UNSPOOL, "flight", *args, "--recorder", str(pid)], capture_output=True,
                          text=True, timeout=60, check=False).stdout


def ends(pid, *args):
    """Returns the number of walks in the flight recorder's ring of the CPU."""
    return sum(" end " in line for line in flight(pid, "cat", "--cpu", str(CPU), *args).splitlines())


def spinner():
    child = subprocess.Popen(["taskset", "-c", str(CPU), *SPIN])
    time.sleep(0.1)
    return child


def end(child):
    child.kill()
    child.wait()


def over_the_gap(c, path):
    """Records while the CPU is taken offline and back online. Returns the pid of a process that
    runs on the CPU afterwards."""
    argv = [UNSPOOL, "record", "-q", "-a", "--flight", "-F", str(HZ), "-d", "60", "-o", path]
    with running(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        wait_until(lambda: ends(child.pid) > HZ // 4)
        shown = flight(child.pid, "cat", "--cpu", str(CPU)).splitlines()
        switch(False)
        try:
            time.sleep(0.5)
            kept = flight(child.pid, "cat", "--cpu", str(CPU)).splitlines()
            c.that(set(shown[-20:]) <= set(kept), "the ring of an offline CPU can be read")
            c.that(ends(child.pid, "--since", "300ms") == 0,
                   "the ring of an offline CPU gets no new walk")
        finally:
            switch(True)
        after = spinner()
        try:
            wait_until(lambda: ends(child.pid, "--since", "500ms") > HZ // 8)
            time.sleep(1)
        finally:
            end(after)
        child.terminate()
        c.that(child.wait(60) == 0,
               "the recorder exits with 0 if a CPU goes offline and online again")
    return after.pid


def main():
    need_bpf()
    if CPU == 0 or not os.access(SWITCH, os.W_OK):
        skip(f"this test needs a CPU other than CPU 0 that can be taken offline; {SWITCH} is not "
             "writable")
    c = Checks()
    with folder() as tmp:
        path = os.path.join(tmp, "p.ndjson")
        before = spinner()
        try:
            pid = over_the_gap(c, path)
        finally:
            end(before)
        profile = Profile(path)
        named = [line for line in profile.of("process") if line["pid"] == pid]
        c.that(named and "python" in json.dumps(named),
               "a program that starts on the CPU after the CPU is online again has a name")
        n = profile.count(lambda stack, frames, line: line["pid"] == pid)
        c.that(n > HZ // 25,
               f"a program that starts on the CPU after the CPU is online again is sampled: "
               f"{n} times")
        lost = profile.summary["lost"]
        c.that(lost < HZ // 4,
               f"the time in which the CPU is offline is not counted as lost samples: {lost}")
    return c.end()


if __name__ == "__main__":
    sys.exit(main())
