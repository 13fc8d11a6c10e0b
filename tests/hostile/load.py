#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""load.py PART [ARGUMENT]: tests faults of a recorder under load, without malice.

storm [COUNT [ROUNDS]]: records COUNT processes of about 1 ms; each line of samples follows the
lines of its process, thread and stack, and the recording ends in time.
reuse: another process gets the pid of a target; no sample of it is recorded.
turns: a process executes another program five times a second; no sample has a name of the program
before.
threads: samples, recorded and lost, are at most as many as sampling periods.
"""

import collections
import contextlib
import itertools
import os
import re
import signal
import subprocess
import sys
import time

import attack
from lib import (BUSY, UNSPOOL, Checks, Profile, folder, need_bpf, record, running,
                 wait_until)

STORM, REUSE, THREADS = attack.programs("storm", "reuse", "threads")
TURNS = {name: attack.programs(f"turns-{name}")[0] for name in ("elm", "oak")}


def unannounced(lines):
    """Counts the samples whose process, thread or stack has no earlier line."""
    known, missing = set(), collections.Counter()
    for line in lines:
        kind = line["type"]
        if kind == "process":
            known.add(("process", line["pid"]))
        elif kind == "thread":
            known.add(("thread", line["pid"], line["tid"]))
        elif kind == "stack":
            known.add(("stack", line["id"]))
        elif kind == "samples":
            for key in (("process", line["pid"]), ("thread", line["pid"], line["tid"]),
                        ("stack", line["stack"])):
                missing[key[0]] += line["count"] * (key not in known)
    return {kind: n for kind, n in missing.items() if n}


def storm(check, tmp, count="1000", rounds="1"):
    out = os.path.join(tmp, "s.ndjson")
    for _ in range(int(rounds)):
        start = time.monotonic()
        done, profile = record("-a", STORM, count, 8, out=out, hz=999, timeout=600)
        took = time.monotonic() - start
        s = profile.summary
        print(f"{count} processes in {took:.1f} s: {s['samples']} samples, {s['lost']} lost, "
              f"{s['lost_events']} events lost")
        check.that(done.returncode == 0, f"the recorder exits with 0: {done.stderr.strip()}")
        check.that(took < s["duration_ns"] / 1e9 + 60,
                   "the recorder ends within 60 s after the last process: "
                   f"{took - s['duration_ns'] / 1e9:.1f} s")
        check.equal(unannounced(profile.lines), {},
                    "the lines of a process, thread and stack precede its samples")
        kept = [line for line in profile.lines if line["type"] != "thread"]
        check.that("thread" in unannounced(kept), "the judge notices threads without a line")


def has_samples(path):
    """Whether samples were written into the .partial file of a recording."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return b'"samples"' in file.read()
    return False


def reuse(check, tmp):
    out, partial = os.path.join(tmp, "r.ndjson"), os.path.join(tmp, ".r.ndjson.partial")
    for args in ["-p"], ["-t"]:
        with running([REUSE], stdin=subprocess.PIPE) as child, running([BUSY]) as other:
            pid = child.stdout.readline().decode().strip()
            with running([UNSPOOL, "record", "-q", "-F", "4999", *args, f"{pid},{other.pid}", "-o", out],
                         stdout=subprocess.DEVNULL) as recorder:
                wait_until(lambda: has_samples(partial))
                child.stdin.write(b"\n")
                child.stdin.close()
                time.sleep(1)
                recorder.send_signal(signal.SIGINT)
                recorder.wait(60)
        profile = Profile(out)
        functions = collections.Counter()
        for count, _, frames, line in profile.samples():
            if line["pid"] == other.pid:
                continue
            functions[next((f["name"] for f in frames if f.get("name") in ("target_work", "stranger_work")),
                           "none")] += count
        print(f"record {args[0]}: {dict(functions)}, {profile.of('process')}")
        check.that(functions["target_work"] > 100, f"record {args[0]}: the target is recorded")
        check.equal((functions["stranger_work"], recorder.returncode), (0, 0),
                    f"record {args[0]}: no sample is of another process that gets the target's pid")
        unknown = [p for p in profile.of("process") if not p.get("name")]
        check.equal(unknown, [], f"record {args[0]}: no process is unknown")


def turn_at(turns, t_ns):
    """Returns the program that certainly ran at a time, or None."""
    return next((name for name, from_ns, to_ns in turns if from_ns <= t_ns <= to_ns), None)


def judge_turns(profile, turns):
    """Returns the number of samples by the program that ran, and the samples that have a frame,
    process, file or thread of the other program."""
    counts, wrong, processes, threads = (collections.Counter(), collections.Counter(), {}, {})
    start_ns = profile.of("header")[0]["start_boottime_ns"]
    for line in profile.lines:
        if line["type"] == "process":
            processes[line["pid"]] = line
        elif line["type"] == "thread":
            threads[line["pid"], line["tid"]] = line
        elif line["type"] == "samples" and "turns-" in processes[line["pid"]].get("name", "turns-"):
            names = {match[1] for i in profile.stacks[line["stack"]]["frames"]
                     if (match := re.search(r"(?:^work_|/turns-)(elm|oak)$",
                                            profile.frames[i].get("name", "")
                                            or profile.frames[i].get("module", "")))}
            called = {"name": processes[line["pid"]].get("name", ""),
                      "exe": processes[line["pid"]].get("exe", ""),
                      "thread": threads.get((line["pid"], line["tid"]), {}).get("name", "")}
            for t_us in itertools.accumulate(line["t"]):
                name = turn_at(turns, start_ns + t_us * 1000)
                counts[name] += 1
                wrong["frames"] += bool(name and names - {name})
                for kind, text in called.items():
                    wrong[kind] += bool(name and not text.endswith(f"turns-{name}"))
    return counts, {kind: n for kind, n in wrong.items() if n}


def turns(check, tmp, count="10"):
    out, log = os.path.join(tmp, "t.ndjson"), os.path.join(tmp, "turns")
    for args in (["-a"], []):
        with open(log, "w", encoding="utf-8"):
            record(*args, TURNS["elm"], 100, count, out=out, hz=1999, timeout=120,
                   env=dict(os.environ, TURNS=log))
        with open(log, encoding="utf-8") as file:
            truth = [(name, int(a), int(b)) for name, a, b in map(str.split, file)]
        profile = Profile(out)
        counts, wrong = judge_turns(profile, truth)
        mode = "record " + " ".join([*args, "COMMAND"])
        print(f"{mode}: {dict(counts)}, {profile.summary['truncated']}")
        check.that(min(counts[name] for name in TURNS) > 500, f"{mode}: both programs are recorded")
        check.equal(wrong, {}, f"{mode}: no sample has a name of the program before")
        swapped = [({"elm": "oak", "oak": "elm"}[name], a, b) for name, a, b in truth]
        check.equal(set(judge_turns(profile, swapped)[1]), {"frames", "name", "exe", "thread"},
                    f"{mode}: the judge notices samples with names of the other program")


def threads(check, tmp, count="200"):
    out = os.path.join(tmp, "n.ndjson")
    record("-a", THREADS, count, 2, out=out, hz=4999)
    s = Profile(out).summary
    periods = s["duration_ns"] / 1e9 * 4999 * len(os.sched_getaffinity(0))
    print(f"in {periods:.0f} sampling periods, {s['samples']} samples were recorded and {s['lost']} "
          "lost")
    check.that(s["samples"] + s["lost"] <= 1.001 * periods,
               "recorded and lost samples are at most as many as sampling periods: "
               f"{100 * (s['samples'] + s['lost']) / periods:.2f} %")
    check.that(s["samples"] + s["lost"] >= 0.98 * periods,
               "recorded and lost samples are at least 98 % of the sampling periods: "
               f"{100 * (s['samples'] + s['lost']) / periods:.2f} %")


def main():
    need_bpf()
    check = Checks()
    parts = {"storm": storm, "reuse": reuse, "turns": turns, "threads": threads}
    with folder() as tmp:
        parts[sys.argv[1]](check, tmp, *sys.argv[2:])
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
