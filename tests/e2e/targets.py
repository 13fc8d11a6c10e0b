#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Selects targets by name, thread and control group, and across PID namespaces."""

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
    """{(pid, tid)} of the samples, and {pid: process line}"""
    return ({(s["pid"], s["tid"]) for s in profile.of("samples")},
            {p["pid"]: p for p in profile.of("process")})


def child_of(pid):
    """The only child of a process, once there is one."""
    for _ in range(100):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
        if children:
            return int(children[0])
        time.sleep(0.05)
    raise TimeoutError


def named_js(check, profile):
    js = profile.count(lambda s, f, l: any(x.get("file") == KNOWN for x in f))
    check.that(js > 0.5 * profile.count() > 10, f"JavaScript is named in {js} of {profile.count()}")


def by_name(check, tmp, binary):
    name = f"named-{os.getpid()}.js"
    path = os.path.join(tmp, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("console.log('running'); for (;;);")
    with running([binary, path], b"running") as child:
        done, profile = record("-p", name, "-d", 1, out=os.path.join(tmp, "n.ndjson"))
    check.equal(done.returncode, 0, "a Node.js is found by its script's name")
    check.equal({pid for pid, _ in sampled(profile)[0]}, {child.pid}, "and nothing else is recorded")


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
                "-t records this thread alone, under its process")
    js = profile.count(lambda s, f, l: any(x.get("name") == "spin" for x in f))
    check.that(js > 0.9 * profile.count() > 10, f"{js} of {profile.count()} samples in its function")


def recorder_inside(check, tmp, binary):
    """Recorder and target are in one PID namespace, where pids start at 1."""
    out = os.path.join(tmp, "in.ndjson")
    done = subprocess.run([*IN_NAMESPACE, "sh", "-c", f"{binary} {KNOWN} 2000 & sleep 0.5; "
                           f"echo $!; {UNSPOOL} record -q -F 997 -p $! -d 3 -o {out}; kill $!"],
                          capture_output=True, text=True, timeout=60, check=False)
    pid = int([line for line in done.stdout.splitlines() if line.isdigit()][0])
    ids, processes = sampled(Profile(out))
    check.equal((done.returncode, {p for p, _ in ids}), (0, {pid}), f"inside it is pid {pid}")
    check.that(pid < 100 and max(t for _, t in ids) < 100, f"threads are numbered inside: {ids}")
    check.equal(processes[pid]["nspid"], pid, "nspid is the same")
    named_js(check, Profile(out))


def recorder_inside_all(check, tmp):
    """-a inside a namespace records no process outside, as it has no pid there."""
    out = os.path.join(tmp, "all.ndjson")
    with running([BUSY], b"running"):
        done = subprocess.run([*IN_NAMESPACE, UNSPOOL, "record", "-q", "-a", "-F", "997", "-o", out,
                               BUSY, "700"], capture_output=True, timeout=60, check=False)
    busy = [p for p in sampled(Profile(out))[1].values() if p["name"] == "busy"]
    check.equal((done.returncode, len(busy)), (0, 1), "-a inside: one of the two that ran")
    check.that(busy[0]["pid"] < 100, f"by its pid inside: {busy[0]['pid']}")


def recorder_outside(check, tmp, binary):
    with running([*IN_NAMESPACE, binary, KNOWN, "2000"], b"running") as child:
        pid = child_of(child.pid)
        done, profile = record("-p", pid, "-d", 3, out=os.path.join(tmp, "out.ndjson"))
    ids, processes = sampled(profile)
    check.equal((done.returncode, {p for p, _ in ids}), (0, {pid}), "outside it has its pid of outside")
    check.equal((processes[pid]["nspid"], processes[pid]["name"]), (1, "run.js"), "nspid beside it")
    named_js(check, profile)


def pids_again(check, tmp):
    """Two programs alternate under the same few pids, so a pid does not identify the program."""
    out = os.path.join(tmp, "again.ndjson")
    loop = (f"i=0; while [ $i -lt 150 ]; do echo 300 > /proc/sys/kernel/ns_last_pid; {BUSY}-ash 30; "
            f"echo 300 > /proc/sys/kernel/ns_last_pid; {BUSY}-fir 30; i=$((i+1)); done >/dev/null")
    done = subprocess.run([*IN_NAMESPACE, UNSPOOL, "record", "-q", "-F", "997", "-o", out, "sh", "-c",
                           loop], capture_output=True, timeout=120, check=False)
    check.equal(done.returncode, 0, "pids that are used again: exit 0")
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
               f"pid {most} had {len(users[most])} names")
    check.equal(set(counts), {("ash", "busy-ash"), ("fir", "busy-fir")},
                f"no sample under another's name: {dict(counts)}")
    check.that(sum(counts.values()) > 1000, f"{sum(counts.values())} samples are named")


@contextlib.contextmanager
def cgroup():
    """A control group of version 2, or None."""
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
        for _ in range(50):  # until its processes are gone
            with contextlib.suppress(OSError):
                os.rmdir(path)
                break
            time.sleep(0.1)


def by_cgroup(check, tmp):
    with cgroup() as path:
        if not path:
            leave_out("no control group of version 2 can be made", "cgroup")
            return
        join = f"echo $$ > {path}/cgroup.procs; exec {BUSY}"
        with running(["sh", "-c", join], b"running") as member, running([BUSY], b"running"):
            done, profile = record("--cgroup", path, "-d", 1, out=os.path.join(tmp, "c.ndjson"))
            late, _ = record("--cgroup", path, "-d", 1, "-o", os.path.join(tmp, "d.folded"),
                             out=os.path.join(tmp, "d.ndjson"))
    ids, processes = sampled(profile)
    check.equal((done.returncode, {p for p, _ in ids}), (0, {member.pid}), "--cgroup records its members")
    check.equal(processes[member.pid].get("cgroup"), "/" + os.path.basename(path), "and prints the group")
    check.equal(late.returncode, 0, "again")
    check.that(not os.path.exists(path), "the group can go")


def main():
    need_bpf()
    check = Checks()
    binary = node(version_of("24"))
    with folder() as tmp:
        parts = [lambda: by_name(check, tmp, binary), lambda: by_thread(check, tmp, binary),
                 lambda: by_cgroup(check, tmp)]
        if subprocess.run([*IN_NAMESPACE, "true"], check=False).returncode:
            leave_out("no PID namespace can be made", "pidns")
        else:
            parts = [lambda: pids_again(check, tmp), *parts,
                     lambda: recorder_inside(check, tmp, binary),
                     lambda: recorder_inside_all(check, tmp),
                     lambda: recorder_outside(check, tmp, binary)]
        at_once(3, parts)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
