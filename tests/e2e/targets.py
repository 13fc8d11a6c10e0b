#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests the selection of targets by name, thread and control group, and across PID namespaces."""

import collections
import contextlib
import os
import subprocess
import sys
import tempfile
import time

from lib import (BUSY, TOP, UNSPOOL, Checks, Profile, at_once, folder, leave_out, need_bpf, node,
                 record, running, version_of)

KNOWN = os.path.join(TOP, "fixtures/node/known/run.js")
IN_NAMESPACE = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]


def sampled(profile):
    """Returns {(pid, tid)} of the samples, and {pid: process line}."""
    return ({(s["pid"], s["tid"]) for s in profile.of("samples")},
            {p["pid"]: p for p in profile.of("process")})


def child_of(pid):
    """Waits until a process has a child; returns the child's pid."""
    for _ in range(100):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
        if children:
            return int(children[0])
        time.sleep(0.05)
    raise TimeoutError


def named_js(check, profile):
    js = profile.count(lambda s, f, l: any(x.get("file") == KNOWN for x in f))
    check.that(js > 0.5 * profile.count() > 10,
               f"most samples have frames of the script: {js} of {profile.count()}")


def by_name(check, tmp, binary):
    name = f"named-{os.getpid()}.js"
    path = os.path.join(tmp, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("console.log('running'); for (;;);")
    with running([binary, path], b"running") as child:
        done, profile = record("-p", name, "-d", 1, out=os.path.join(tmp, "n.ndjson"))
    check.equal(done.returncode, 0, "-p finds a Node.js process by the name of its script")
    check.equal({pid for pid, _ in sampled(profile)[0]}, {child.pid},
                "-p with the name of a script records only the process that runs the script")


def by_thread(check, tmp, binary):
    code = ("const { Worker, isMainThread } = require('worker_threads');"
            "if (isMainThread) { new Worker(__filename); new Worker(__filename); }"
            "function spin() { for (let i = 0; i < 1e6; i++); } for (;;) spin();")
    path = os.path.join(tmp, "threads.js")
    with open(path, "w", encoding="utf-8") as file:
        file.write(code)
    with running([binary, path]) as child:
        time.sleep(1)
        times = {}
        for tid in map(int, os.listdir(f"/proc/{child.pid}/task")):
            with open(f"/proc/{child.pid}/task/{tid}/stat", encoding="utf-8") as file:
                times[tid] = int(file.read().rsplit(")", 1)[1].split()[11])
        tid = max((t for t in times if t != child.pid), key=times.get)
        done, profile = record("-t", tid, "-d", 1, out=os.path.join(tmp, "t.ndjson"))
    check.equal((done.returncode, sampled(profile)[0]), (0, {(child.pid, tid)}),
                "-t records only the selected thread, with the pid of the thread's process")
    js = profile.count(lambda s, f, l: any(x.get("name") == "spin" for x in f))
    check.that(js > 0.9 * profile.count() > 10,
               "with -t more than 90 % of the samples are in the thread's function: "
               f"{js} of {profile.count()}")


def recorder_inside(check, tmp, binary):
    """Recorder and target run in the same PID namespace, where pids start at 1."""
    out = os.path.join(tmp, "in.ndjson")
    done = subprocess.run([*IN_NAMESPACE, "sh", "-c", f"{binary} {KNOWN} 2000 & sleep 0.5; "
                           f"echo $!; {UNSPOOL} record -q -F 997 -p $! -d 3 -o {out}; kill $!"],
                          capture_output=True, text=True, timeout=60, check=False)
    pid = int([line for line in done.stdout.splitlines() if line.isdigit()][0])
    ids, processes = sampled(Profile(out))
    check.equal((done.returncode, {p for p, _ in ids}), (0, {pid}),
                f"inside the namespace, samples have the process's pid in the namespace: {pid}")
    check.that(pid < 100 and max(t for _, t in ids) < 100,
               f"inside the namespace, samples have the threads' ids in the namespace: {ids}")
    check.equal(processes[pid]["nspid"], pid, "inside the namespace, nspid equals pid")
    named_js(check, Profile(out))


def recorder_inside_all(check, tmp):
    """Inside a namespace -a records no process outside, which has no pid in the namespace."""
    out = os.path.join(tmp, "all.ndjson")
    with running([BUSY], b"running"):
        done = subprocess.run([*IN_NAMESPACE, UNSPOOL, "record", "-q", "-a", "-F", "997", "-o", out,
                               BUSY, "700"], capture_output=True, timeout=60, check=False)
    busy = [p for p in sampled(Profile(out))[1].values() if p["name"] == "busy"]
    check.equal((done.returncode, len(busy)), (0, 1),
                "inside the namespace, -a records the process inside but not the process outside")
    check.that(busy[0]["pid"] < 100,
               "inside the namespace, -a records the process's pid in the namespace: "
               f"{busy[0]['pid']}")


def recorder_outside(check, tmp, binary):
    with running([*IN_NAMESPACE, binary, KNOWN, "2000"], b"running") as child:
        pid = child_of(child.pid)
        done, profile = record("-p", pid, "-d", 3, out=os.path.join(tmp, "out.ndjson"))
    ids, processes = sampled(profile)
    check.equal((done.returncode, {p for p, _ in ids}), (0, {pid}),
                "outside the namespace, samples have the process's pid in the outer namespace")
    check.equal((processes[pid]["nspid"], processes[pid]["name"]), (1, "run.js"),
                "outside the namespace, nspid is the process's pid in the inner namespace")
    named_js(check, profile)


def pids_again(check, tmp):
    """Two programs run in turn under the same few pids, so a pid does not identify the program."""
    out = os.path.join(tmp, "again.ndjson")
    loop = (f"i=0; while [ $i -lt 150 ]; do echo 300 > /proc/sys/kernel/ns_last_pid; {BUSY}-ash 30; "
            f"echo 300 > /proc/sys/kernel/ns_last_pid; {BUSY}-fir 30; i=$((i+1)); done >/dev/null")
    done = subprocess.run([*IN_NAMESPACE, UNSPOOL, "record", "-q", "-F", "997", "-o", out, "sh", "-c",
                           loop], capture_output=True, timeout=120, check=False)
    check.equal(done.returncode, 0, "the recorder exits with 0 if processes reuse pids")
    profile, names, counts = Profile(out), {}, collections.Counter()
    users = collections.defaultdict(list)
    for line in profile.lines:
        if line["type"] == "process":
            names[line["pid"]] = line["name"]
            users[line["pid"]].append(line["name"])
        elif line["type"] == "samples":
            frames = [profile.frames[i] for i in profile.stacks[line["stack"]]["frames"]]
            for kind in ("ash", "fir"):
                if any(f.get("name") == f"inner_{kind}" for f in frames):
                    counts[kind, names[line["pid"]]] += line["count"]
    most = max(users, key=lambda pid: len(users[pid]))
    check.that({"busy-ash", "busy-fir"} <= set(users[most]) and len(users[most]) > 50,
               f"one pid belonged to both programs in turn, more than 50 times: pid {most}, "
               f"{len(users[most])} times")
    check.equal(set(counts), {("ash", "busy-ash"), ("fir", "busy-fir")},
                "no sample has a function of one program and the name of the other: "
                f"{dict(counts)}")
    check.that(sum(counts.values()) > 1000, "more than 1000 samples have the name of a function: "
               f"{sum(counts.values())}")


@contextlib.contextmanager
def cgroup():
    """Yields the path of a new control group of version 2, or None if none can be made."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        mounts = [line.split()[1] for line in file if line.split()[2] == "cgroup2"]
    try:
        path = tempfile.mkdtemp(prefix="unspool-", dir=mounts[0])
    except (IndexError, OSError):
        yield None
        return
    try:
        yield path
    finally:
        for _ in range(50):  # until the processes in the group have exited
            with contextlib.suppress(OSError):
                os.rmdir(path)
                break
            time.sleep(0.1)


def by_cgroup(check, tmp):
    with cgroup() as path:
        if not path:
            leave_out("a control group of version 2 cannot be made", "cgroup")
            return
        join = f"echo $$ > {path}/cgroup.procs; exec {BUSY}"
        with running(["sh", "-c", join], b"running") as member, running([BUSY], b"running"):
            done, profile = record("--cgroup", path, "-d", 1, out=os.path.join(tmp, "c.ndjson"))
            late, _ = record("--cgroup", path, "-d", 1, "-o", os.path.join(tmp, "d.folded"),
                             out=os.path.join(tmp, "d.ndjson"))
    ids, processes = sampled(profile)
    check.equal((done.returncode, {p for p, _ in ids}), (0, {member.pid}),
                "--cgroup records only the processes of the group")
    check.equal(processes[member.pid].get("cgroup"), "/" + os.path.basename(path),
                "the profile has the name of the control group")
    check.equal(late.returncode, 0, "--cgroup with two output files exits with 0")
    check.that(not os.path.exists(path), "the group can be removed after the recording")


def main():
    need_bpf()
    check = Checks()
    binary = node(version_of("24"))
    with folder() as tmp:
        parts = [lambda: by_name(check, tmp, binary), lambda: by_thread(check, tmp, binary),
                 lambda: by_cgroup(check, tmp)]
        if subprocess.run([*IN_NAMESPACE, "true"], check=False).returncode:
            leave_out("a PID namespace cannot be made", "pidns")
        else:
            parts = [lambda: pids_again(check, tmp), *parts,
                     lambda: recorder_inside(check, tmp, binary),
                     lambda: recorder_inside_all(check, tmp),
                     lambda: recorder_outside(check, tmp, binary)]
        at_once(3, parts)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
