#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""many.py N: records N short-lived processes of different programs, and Node.js with workers:
every sample is counted, no sample has the name of another process, and the recorder's memory is
bounded."""

import collections
import contextlib
import os
import re
import subprocess
import sys
import threading
import time

from lib import (BUSY, TOP, UNSPOOL, Checks, Profile, folder, need_bpf, node, record, running,
                 version_of)

KINDS = ("ash", "birch", "cedar", "fir")  # BUSY-KIND has the functions inner_KIND and outer_KIND
MAX_KB = 150 * 1024


def peak_kb(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", encoding="utf-8") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


@contextlib.contextmanager
def watched(child, peaks):
    """Polls the recorder's memory high-water mark, which can't be read after its exit."""
    over = threading.Event()

    def watch():
        while not over.wait(0.05):
            peaks.append(peak_kb(child.pid))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def by_process(profile):
    """Yields (count, frames, the process's line that was valid when they were sampled)."""
    processes = {}
    for line in profile.lines:
        if line["type"] == "process":
            processes[line["pid"]] = line
        elif line["type"] == "samples":
            frames = [profile.frames[i] for i in profile.stacks[line["stack"]]["frames"]]
            yield line["count"], frames, processes.get(line["pid"])


def kinds_of(frames):
    """Yields for each frame the kind of process to which it belongs, by its symbol and by its
    file."""
    for frame in frames:
        if match := re.fullmatch(r"(?:inner|outer)_(\w+)", frame.get("name", "")):
            yield match.group(1)
        if match := re.fullmatch(r".*/busy-(\w+)", frame.get("module", "")):
            yield match.group(1)


def judge(profile, called=lambda name: name):
    """Returns the number of samples by kind, of samples with frames of two kinds, and of samples in
    a process with another name."""
    named, mixed, foreign = collections.Counter(), 0, 0
    for count, frames, process in by_process(profile):
        kinds = set(kinds_of(frames))
        mixed += count * (len(kinds) > 1)
        for kind in kinds:
            named[kind] += count
            name = process.get("name")  # None if the process exited before it was inspected
            foreign += count * (name is not None and called(name) != f"busy-{kind}")
    return named, mixed, foreign


def short_lived(check, tmp, n):
    out, peaks = os.path.join(tmp, "many.ndjson"), [0]
    each = n // len(KINDS) // 2
    calls = "; ".join(f"{BUSY}-{kind} 3" for kind in KINDS)
    loop = f"i=0; while [ $i -lt {each} ]; do {calls}; i=$((i+1)); done >/dev/null"
    start = time.monotonic()
    with running([UNSPOOL, "record", "-q", "-a", "-F", "997", "-o", out, "sh", "-c",
                  f"({loop}) & ({loop}); wait"], stderr=subprocess.DEVNULL) as child, \
            watched(child, peaks):
        check.equal(child.wait(300), 0,
                    f"the recorder exits with 0 after recording {8 * each} processes")
    seconds = time.monotonic() - start
    profile = Profile(out)
    named, mixed, foreign = judge(profile)
    pids = {p["pid"] for p in profile.of("process") if p.get("name", "").startswith("busy-")}
    s = profile.summary
    print(f"{8 * each} processes ran in {seconds:.0f} s: {len(pids)} were sampled; {s['samples']} "
          f"samples were recorded, {sum(named.values())} of them in functions of the processes; "
          f"{s['lost']} samples were lost, {s['unresolved']} are unresolved and "
          f"{100 * s['complete'] / s['samples']:.1f} % are complete; the recorder used "
          f"{max(peaks)} KB")
    check.equal(profile.count(), s["samples"],
                "the profile contains every sample that the summary counts")
    ends = s["complete"] + sum(s["truncated"].values()) + sum(s["failed"].values())
    check.equal(ends, s["samples"], "the counts of the statuses add up to the number of samples")
    check.that(min(named[k] for k in KINDS) > each / 4,
               f"each kind of process was sampled: {dict(named)}")
    check.equal((mixed, foreign), (0, 0),
                "no sample has a process name or a function of another kind of process")
    swapped = judge(profile, lambda name: name.replace("ash", "fir"))[2]
    check.that(0.9 * named["ash"] < swapped <= named["ash"],
               "the judge detects samples that have the name of another kind of process")
    check.that(0 < max(peaks) < MAX_KB,
               f"the recorder used less than {MAX_KB} KB: {max(peaks)} KB")


def executed(check, tmp):
    """Samples at such a rate that some samples are taken during the exec itself; these must not
    affect later samples. Each process runs for 150 ms, as the recorder can need 50 ms to notice it
    on a loaded machine."""
    n = 30
    loop = f"i=0; while [ $i -lt {n} ]; do {BUSY}-ash 150; i=$((i+1)); done >/dev/null"
    _, profile = record("sh", "-c", loop, out=os.path.join(tmp, "e.ndjson"), hz=15000)
    whole, known = collections.Counter(), collections.Counter()
    names = {p["pid"]: p.get("name") for p in profile.of("process")}
    for count, stack, _, line in profile.samples():
        whole[line["pid"]] += count
        known[line["pid"]] += count * (stack["status"] == "complete")
    pids = [pid for pid in whole if names[pid] == "busy-ash"]
    lame = [pid for pid in pids if not known[pid]]
    check.that(len(pids) > 0.9 * n, "more than 90 % of the processes were sampled under their own "
               f"name: {len(pids)} of {n}")
    check.equal(lame, [], "each process that was sampled under its own name has a complete stack")


def by_script(check, tmp):
    """Records short Node.js processes; each is inspected at its first sample, mostly during its
    exec."""
    binary, script, n = node(version_of("24")), os.path.join(tmp, "short.js"), 15
    with open(script, "w", encoding="utf-8") as file:
        file.write("const end = Date.now() + 150;\nwhile (Date.now() < end);\n")
    _, profile = record("sh", "-c", f"i=0; while [ $i -lt {n} ]; do env {binary} {script}; "
                        "i=$((i+1)); done", out=os.path.join(tmp, "s.ndjson"), hz=5000)
    counts, strange = collections.Counter(), collections.Counter()
    for count, frames, process in by_process(profile):
        counts[process.get("name")] += count
        exe = os.path.basename(process.get("exe", ""))
        for module in {os.path.basename(f["module"]) for f in frames if "module" in f}:
            if module in ("node", "env", "dash") and exe != module:
                strange[exe, module] += count
    called = collections.Counter(p["pid"] for p in profile.of("process") if p.get("name") == "short.js")
    check.that(len(called) >= 0.8 * n,
               "at least 80 % of the processes are recorded under the name of their script: "
               f"{len(called)} "
               f"of {n}, "
               f"{dict(counts)}")
    check.equal((dict(strange), max(called.values())), ({}, 1),
                "no sample has frames of a program that the process did not run at that time")


def lasting(check, tmp):
    """Records while processes start faster than the recorder can inspect them."""
    storm = "while :; do /bin/true; done"
    with contextlib.ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(running(["sh", "-c", storm]))
        done, profile = record("-a", "-d", 2, out=os.path.join(tmp, "l.ndjson"), hz=5000)
    s = profile.summary
    seconds = s["duration_ns"] / 1e9
    print(f"a recording with -d 2 during a fork storm took {seconds:.2f} s: {s['samples']} "
          "samples, "
          f"{s['lost']} lost, {s['unresolved']} unresolved; {s['lost_events']} events lost")
    check.that(done.returncode == 0 and 2 <= seconds < 3,
               f"a recording with -d 2 takes 2 to 3 s during a fork storm: {seconds:.2f} s")
    check.equal(profile.count(), s["samples"],
                "the profile contains every sample that the summary counts")


def accounted(check, tmp):
    """The samples, recorded and lost (on the whole machine), are as many as CPU time times
    frequency."""
    done, profile = record(BUSY, 3000, out=os.path.join(tmp, "a.ndjson"))
    s, periods = profile.summary, 3 * 997
    print(f"in a CPU time of {periods} sampling periods, {s['samples']} samples were recorded and "
          f"{s['lost']} lost")
    check.that(done.returncode == 0 and s["samples"] <= 1.03 * periods,
               "the number of samples exceeds that of the sampling periods by at most 3 %")
    check.that(s["samples"] + s["lost"] >= 0.97 * periods,
               "recorded and lost samples add up to at least 97 % of the sampling periods")


def workers(check, tmp):
    out, peaks = os.path.join(tmp, "w.ndjson"), [0]
    with running([UNSPOOL, "record", "-q", "-F", "997", "-o", out, node(version_of("24")),
                  os.path.join(TOP, "fixtures/node/workers.js"), "3", "2", "4000"],
                 stderr=subprocess.DEVNULL) as child, watched(child, peaks):
        check.equal(child.wait(60), 0,
                    "the recorder exits with 0 after recording Node.js with workers")
    profile = Profile(out)
    named, wrong, threads = collections.Counter(), 0, collections.defaultdict(set)
    for count, _, frames, line in profile.samples():
        for name in {f["name"] for f in frames if f.get("name", "").startswith("own_")}:
            _, pid, thread = name.split("_")
            named[name] += count
            wrong += count * (int(pid) != line["pid"])
            wrong += count * ((thread == "0") != (line["tid"] == line["pid"]))
            threads[line["pid"], line["tid"]].add(name)
    names = {p["name"] for p in profile.of("process") if p.get("runtime")}
    check.equal(len(named), 10,
                f"the functions of all 4 processes and 6 workers are found: {dict(named)}")
    check.equal(wrong, 0,
                "no sample has a function of another process or of another kind of thread")
    check.that(all(len(v) == 1 for v in threads.values()),
               "the samples of each thread have the function of only one thread")
    check.equal(names, {"workers.js"}, "all processes are recorded under the name of their script")
    s = profile.summary
    # The processes start during the recording, so their first samples precede their unwind tables.
    check.that(s["complete"] >= 0.8 * s["samples"],
               f"at least 80 % of the stacks are complete: {s['complete']} of "
               f"{s['samples']}")
    check.equal(profile.count(), s["samples"],
                "the profile contains every sample that the summary counts")
    check.that(0 < max(peaks) < MAX_KB,
               f"the recorder used less than {MAX_KB} KB: {max(peaks)} KB")


def main():
    need_bpf()
    check = Checks()
    with folder() as tmp:
        short_lived(check, tmp, int(sys.argv[1]))
        executed(check, tmp)
        by_script(check, tmp)
        lasting(check, tmp)
        accounted(check, tmp)
        workers(check, tmp)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
