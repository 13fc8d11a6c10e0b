#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records faulty targets and files: for each of them unspool must print one line and exit with the
right status."""

import os
import shutil
import signal
import subprocess
import sys
import time

from lib import BUSY, Checks, folder, need_bpf, record, running, unspool


def one_line(check, done, status, words, what):
    check.equal(done.returncode, status, f"{what}: the exit status is {status}")
    check.that(len(done.stderr.splitlines()) == 1 and words in done.stderr,
               f"{what}: `record` prints one line with {words!r}: {done.stderr.strip()!r}")


def ended_pid():
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid


def no_target(check, tmp):
    out = os.path.join(tmp, "none.ndjson")
    done = unspool("record", "-p", ended_pid(), "-o", out)
    one_line(check, done, 2, "there is no such process", "a pid that does not exist")
    done = unspool("record", "-p", "no such name at all", "-o", out)
    one_line(check, done, 2, "no process has this name", "a name without a process")
    check.equal(os.listdir(tmp), [], "the failed recording writes no file")


def ends_at_once(check, tmp):
    out = os.path.join(tmp, "short.ndjson")
    with running(["sleep", "0.3"]) as child:
        done = unspool("record", "-p", child.pid, "-o", out, timeout=10)
    one_line(check, done, 1, "no sample", "a target that exits soon without using the CPU")
    check.equal(os.listdir(tmp), [], "the failed recording writes no file")


def native(check, tmp):
    out = os.path.join(tmp, "native.ndjson")
    with running([BUSY], b"running") as child:
        done, profile = record("-p", child.pid, "-d", 1, out=out)
        _, without = record("-p", child.pid, "-d", 1, "--max-memory", 0,
                            out=os.path.join(tmp, "without.ndjson"))
    check.equal(done.returncode, 0, "`record` records a program in C")
    process = profile.of("process")[0]
    check.that("runtime" not in process and process["name"] == "busy",
               f"the process of a program in C has no field `runtime`: {process}")
    leafs = profile.count(lambda s, f, l: f[0].get("name") == "busy_inner")
    all_ = profile.count(lambda s, f, l: f[0]["kind"] == "native")
    check.that(leafs > 0.95 * all_ > 100,
               f"more than 95 % of the native leaves are busy_inner: {leafs} of {all_}")
    chain = profile.count(lambda s, f, l: [x.get("name") for x in f[:3]]
                          == ["busy_inner", "busy_outer", "main"])
    check.that(chain > 0.9 * leafs,
               f"more than 90 % of the busy_inner leaves are called by busy_outer and main: "
               f"{chain}")
    figures = profile.summary
    check.that(figures["complete"] >= 0.98 * figures["samples"],
               f"at least 98 % of the stacks are complete: {figures['complete']} of "
               f"{figures['samples']}")
    natives = [[x for x in f if x["kind"] == "native"] for _, _, f, _ in without.samples()]
    check.that(all(x.get("guess") for f in natives for x in f[1:]),
               "without unwind rows all native callers are marked as guessed")
    check.equal(without.summary["complete"], 0, "without unwind rows no stack is complete")


def shell(check, tmp):
    out = os.path.join(tmp, "shell.ndjson")
    with running(["sh", "-c", "echo running; while :; do :; done"], b"running") as child:
        done, profile = record("-p", child.pid, "-d", 1, out=out)
    check.that(done.returncode == 0 and profile.summary["samples"] > 100, "a shell is recorded")
    modules = {f.get("module") for f in profile.frames.values() if f["kind"] == "native"}
    check.that(os.path.realpath(shutil.which("sh")) in modules,
               f"some frames have the shell's binary as their module: {modules}")


def two_of_a_name(check, tmp):
    name = os.path.join(tmp, "unspool-twin")
    shutil.copy(BUSY, name)
    with running([name], b"running") as one, running([name], b"running") as two:
        done = unspool("record", "-p", "unspool-twin", "-d", 1)
        check.equal(done.returncode, 2, "`record -p` exits with 2 if two processes have the name")
        check.that(str(one.pid) in done.stderr and str(two.pid) in done.stderr,
                   "`record -p` lists both processes that have the name")
    with running([name], b"running") as one:
        done, profile = record("-p", "unspool-twin", "-d", 1, out=os.path.join(tmp, "t.ndjson"))
        check.equal([p["pid"] for p in profile.of("process")], [one.pid],
                    "`record -p` finds a process that has a unique name")


def killed(check, tmp):
    out = os.path.join(tmp, "killed.ndjson")
    start = time.monotonic()
    with running([BUSY], b"running") as child:
        partial = os.path.join(tmp, ".killed.ndjson.partial")
        size = f"$(stat -c %s {partial} 2>/dev/null || echo 0)"
        with running(["sh", "-c", f"while [ {size} -lt 4000 ]; do sleep 0.2; done; sleep 0.5; "
                      f"kill -9 {child.pid}"]):
            done, profile = record("-p", child.pid, "-d", 50, out=out)
    check.that(done.returncode == 0 and time.monotonic() - start < 40,
               "the recording ends when its target is killed")
    check.that(profile.count() == profile.summary["samples"] > 50,
               "the profile of a killed target contains every sample that the summary counts")
    check.equal(os.listdir(tmp), ["killed.ndjson"],
                "the profile of a killed target is the only file that the recorder leaves")


def asleep(check, tmp):
    with running(["sleep", "60"]) as child:
        done = unspool("record", "-p", child.pid, "-d", "500ms", "-o", os.path.join(tmp, "s.ndjson"))
        one_line(check, done, 1, f"pid {child.pid} used 0.0 s of CPU", "a target that sleeps")
    check.equal(os.listdir(tmp), [], "the failed recording writes no file")


def stopped(check, tmp):
    with running([BUSY], b"running") as child:
        os.kill(child.pid, signal.SIGSTOP)
        done = unspool("record", "-p", child.pid, "-d", "500ms", "-o", os.path.join(tmp, "s.ndjson"))
        one_line(check, done, 1, "no sample", "a target that is stopped")
    check.equal(os.listdir(tmp), [], "the failed recording writes no file")


def thread_as_pid(check, _):
    with running([sys.executable, "-c", "import threading, time; t = threading.Thread("
                  "target=time.sleep, args=[60]); t.start(); print(t.native_id, flush=True)"]) as child:
        tid = int(child.stdout.readline())
        one_line(check, unspool("record", "-p", tid, "-d", 1), 2, f"-t {tid}", "a thread id as -p")


def main():
    need_bpf()
    check = Checks()
    for case in (no_target, ends_at_once, native, shell, two_of_a_name, killed, asleep, stopped,
                 thread_as_pid):
        with folder() as tmp:
            case(check, tmp)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
