#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""bloat.py [SEED...]: processes of another user map files that describe much work or memory
(elves.py). The recorder ends in time, answers SIGINT within a second, and needs less than 256 MiB;
a well-behaved Node.js beside them stays complete and named.

With a name of a function of elves.py instead of a seed, only that kind of file is mapped.
"""

import contextlib
import os
import platform
import signal
import sys
import time

import attack
import elves
from lib import BUSY, UNSPOOL, Checks, Profile, folder, need_bpf, running

MAPPED = attack.programs("mapped")[0]
MAX_KB = 256 * 1024
SECONDS = 5
MOST_SECONDS = 30  # a recording ends, also on a loaded machine
WARM_S = 2  # the recorder still loads unwind rows before


def group_kb(pid):
    """The resident memory of the recorder and its children."""
    total = 0
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children",
                                            encoding="ascii") as file:
        pids = [pid, *map(int, file.read().split())]
        for one in pids:
            with contextlib.suppress(OSError), open(f"/proc/{one}/status", encoding="utf-8") as status:
                total += next((int(line.split()[1]) for line in status if line.startswith("VmRSS:")), 0)
    return total


def cpu_seconds(pid):
    """The CPU time of a process, without its children."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0


def watch(child, seconds):
    """Waits for the recorder; returns its peak memory in KB, its CPU time, and whether it ended."""
    peak, cpu, end = 0, 0, time.monotonic() + seconds
    while child.poll() is None and time.monotonic() < end:
        peak, cpu = max(peak, group_kb(child.pid)), max(cpu, cpu_seconds(child.pid))
        time.sleep(0.02)
    return peak, cpu, child.poll() is not None


@contextlib.contextmanager
def attackers(tmp, kinds, seed, stack):
    program = attack.install(tmp, MAPPED)[0]
    for i, kind in enumerate(kinds):
        path = os.path.join(tmp, f"lib{kind.__name__}.so")
        kind(path, platform.machine(), attack.chooser(kind.__name__, seed))
        os.chmod(path, 0o755)
        stack.enter_context(attack.attacking([program, path], b"running", in_namespace=i % 2 == 1))
    yield


def measure(tmp, chance):
    """Makes two recordings; the second one is ended by SIGINT. Returns (the CPU time of the first,
    its peak memory in KB, the profile or None, the CPU time from SIGINT to the end)."""
    out = os.path.join(tmp, "p.ndjson")
    argv = [UNSPOOL, "record", "-q", "-a", "-F", "999", "-o", out]
    with running([*argv, "-d", str(SECONDS)]) as child:
        peak, cpu, ended = watch(child, MOST_SECONDS)
    profile = Profile(out) if ended and os.path.exists(out) else None
    with running([*argv, "-d", "60"]) as child:
        time.sleep(chance.uniform(1, 4))
        before = cpu_seconds(child.pid)
        child.send_signal(signal.SIGINT)
        _, until, ended = watch(child, MOST_SECONDS)
    return cpu, peak, profile, until - before if ended else None


def judge(check, label, node, attacked, usual):
    """Judges CPU time and compares with recordings without an attack, because the machine may be
    loaded."""
    (cpu, peak, profile, answer), (usual_cpu, _, without, _) = attacked, usual
    check.that(cpu < usual_cpu + 3 and profile,
               f"{label}: record -d {SECONDS} ends, and takes at most 3 s of CPU time more than "
               f"without an attack, {usual_cpu:.1f} s: {cpu:.1f} s")
    check.that(answer is not None and answer < 1,
               f"{label}: SIGINT ends the recording within a second of CPU time: {answer} s")
    check.that(peak < MAX_KB, f"{label}: the recorder needs less than {MAX_KB} KB: {peak} KB")
    if profile:
        attack.judge_beside(check, label, attack.late(profile, WARM_S), node.pid,
                            attack.late(without, WARM_S))


def main():
    need_bpf()
    check = Checks()
    by_name = {kind.__name__: kind for kind in elves.KINDS}
    words = sys.argv[1:]
    kinds = [by_name[word] for word in words if word in by_name] or elves.KINDS
    with attack.beside() as node:
        with folder() as tmp, contextlib.ExitStack() as stack:
            for _ in kinds:
                stack.enter_context(running(["nice", "-n", "19", BUSY]))
            usual = measure(tmp, attack.chooser("signal", 0))
        for seed in attack.seeds([word for word in words if word not in by_name]):
            label = f"seed {seed}" + (f" {kinds[0].__name__}" if len(kinds) == 1 else "")
            with folder() as tmp, contextlib.ExitStack() as stack, attackers(tmp, kinds, seed, stack):
                judge(check, label, node, measure(tmp, attack.chooser("signal", seed)), usual)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
