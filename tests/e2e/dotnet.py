#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""dotnet.py VERSION [SECONDS]: compares stacks of .NET with the known nesting of a program's
methods.

Records VERSION-nesting/nesting of UNSPOOL_DOTNET_DIR (fixtures/dotnet/nesting.cs). Stacks must
match the runtime's own reports of the same code at the same time, by name and line, from the leaf
to the root (dotnet_nesting.py); tests/judges/dotnet.py tests the judge itself. The collector's
share is compared with the CPU time of the thread that collects (dotnet_collector.py).

Some stacks are not complete, because the runtime stops a thread for the garbage collector by
replacing a return address on the thread's stack (hijacking). Then only the runtime knows the
caller. These stacks are recognized by the code to which the replaced address leads. These stacks
are counted separately, and must have the reason that means hijacking.

In a second recording the runtime has its stubs in anonymous memory
(DOTNET_EnableWriteXorExecute=0).

Async methods that await one another are recorded separately, with their awaiters (dotnet_await.py).

A few stacks are also captured as cases. These cases must replay natively and in the guest as the
kernel walked them, but a case with a changed return address must not replay. From a core file of
gcore the main thread's stack is unwound, with names, if the core file contains the mapped files.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import time

import dotnet_await
import dotnet_collector
from dotnet_calls import too_many
from dotnet_nesting import Judge, Tally, samples_of
from dotnet_truth import Recorder
from lib import Checks, folder, need_bpf, record, running, skip, unspool

FOLDER = os.environ.get("UNSPOOL_DOTNET_DIR") or skip(
    "this test needs the .NET programs that ci/dotnet builds")
VERSION = sys.argv[1]
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 4
SETTLED_US = 2000000  # samples before this time do not count, while unwind rows are loaded
PROGRAM = os.path.join(FOLDER, VERSION + "-nesting", "nesting")
HZ = 499
COMPLETE = 99.5  # percent of the stacks that are not hijacked
HIJACKED = 3  # percent; measured: 0 to 1.1
CASES = 5
SIM = os.environ.get("UNSPOOL_SIM", "unspool-sim")
MAIN = ["System.Threading.Thread.Sleep(int)", "Program.Main(string[])"]
WARM_S = 4  # until the runtime has recompiled the methods, including on-stack replacement


def judge(check, profile, truth):
    tally, judged = Tally(), Judge(truth.chains())
    for sample in samples_of(profile, SETTLED_US):
        tally.add(judged, *sample)
    for what, count in sorted(tally.misses.items(), key=lambda x: -x[1])[:12]:
        print(f"  {count} {what}")
    names, lines, _ = tally.figures
    percent = 100 * tally.complete / max(1, tally.n - tally.hijacked)
    print(f".NET {VERSION}: {tally.n} samples; of {tally.judged} judged stacks {tally.names} have "
          f"the right names and {tally.lines} the right lines; left out: {tally.left_out}; "
          f"{tally.hijacked} stacks are hijacked, and {percent:.2f} % of the others are complete")
    few = max(1, tally.n // 1000)
    check.that(tally.n >= 50 * SECONDS, f"the profile has enough samples ({tally.n})")
    check.that(tally.judged - tally.names <= few,
               f"functions have the names that the runtime reports ({names:.2f} %)")
    check.that(tally.judged - tally.lines <= few,
               f"frames have the lines that the runtime reports ({lines:.2f} %)")
    check.that(not too_many(tally.at_call, tally.bounded),
               "in few stacks the innermost frame is at a call whose callee is missing "
               f"({tally.at_call})")
    check.that(tally.unnamed <= few, f"managed frames have names (all but {tally.unnamed})")
    check.that(percent >= COMPLETE, f"at least {COMPLETE} % of the stacks that are not hijacked "
                                    f"are complete ({percent:.2f} %)")
    check.that(not tally.over(),
               f"the judge leaves out no kind of sample too often ({', '.join(tally.over())})")
    check.that(not tally.mistold,
               "each hijacked stack has the reason that means hijacking (all but "
               f"{tally.mistold})")
    check.that(tally.hijacked <= tally.n * HIJACKED / 100,
               f"few stacks are hijacked ({tally.hijacked})")


def simulate(*args):
    return subprocess.run([SIM, *args], capture_output=True, text=True, timeout=60, check=False)


def judge_cases(check, pid, tmp):
    done = unspool("capture", "-p", pid, "-n", CASES, "-F", HZ, "-d", 20, "-o", f"{tmp}/case.core")
    cases = sorted(glob.glob(f"{tmp}/case*.core"))
    check.equal((done.returncode, len(cases)), (0, CASES),
                f"{CASES} cases are captured ({done.stderr})")
    if not cases:
        return
    for engine in ("native", "guest"):
        ran = simulate("run", "--quiet", "--engine", engine, *cases)
        check.equal(ran.returncode, 0,
                    f"the {engine} engine replays the cases: {ran.stdout.strip()} "
                    f"{ran.stderr[-300:]}")
    notes = [json.loads(simulate("show", path).stdout) for path in cases]
    unnamed = [f for n in notes for f in n["expected"]["frames"]
               if f["kind"] == "dotnet" and not f.get("name")]
    named = sum(f["kind"] == "dotnet" for n in notes for f in n["expected"]["frames"])
    check.that(named >= CASES and len(unnamed) <= 1, "managed frames of the cases have names "
               f"({named} frames, without a name: {unnamed})")
    deepest = max(range(len(notes)), key=lambda i: len(notes[i]["walk"]["frames"]))
    caller = int(notes[deepest]["walk"]["frames"][1]["pc"], 16)
    with open(cases[deepest], "rb") as file:
        content = file.read()
    with open(f"{tmp}/spoilt.core", "wb") as file:
        file.write(content.replace(caller.to_bytes(8, "little"), (caller ^ 4).to_bytes(8, "little")))
    check.equal(simulate("run", f"{tmp}/spoilt.core").returncode, 1,
                "a case with a changed return address does not replay")


def core_of(pid, kinds, tmp):
    """Returns the status and the managed frames of a walk of gcore's core file. @kinds: the
    coredump_filter."""
    with open(f"/proc/{pid}/coredump_filter", "w", encoding="ascii") as file:
        file.write(hex(kinds))
    subprocess.run(["gcore", "-o", f"{tmp}/core", str(pid)], capture_output=True, timeout=60, check=True)
    os.mkdir(f"{tmp}/{kinds}")
    added = simulate("add", "--walk", "-C", f"{tmp}/{kinds}", f"{tmp}/core.{pid}")
    os.unlink(f"{tmp}/core.{pid}")
    expected = json.loads(simulate("show", added.stdout.strip()).stdout)["expected"]
    return expected["status"], [f.get("name") for f in expected["frames"] if f["kind"] == "dotnet"]


def judge_core(check, pid, tmp):
    status, frames = core_of(pid, 0x7f, tmp)
    check.equal((status, frames), ("complete", MAIN),
                "the walk of a core file finds the main thread's stack")
    status, _ = core_of(pid, 0x33, tmp)
    check.that(status != "complete",
               f"the walk of a core file without mapped files is not complete ({status})")


def judge_awaits(check, environment, tmp):
    with running([PROGRAM, "await"], wait_for=b"ready", env=environment) as target:
        for seconds in (WARM_S, 3 * WARM_S, 6 * WARM_S):
            done, profile = record("--async", "-p", target.pid, "-d", seconds,
                                   out=os.path.join(tmp, f"await{seconds}.ndjson"), hz=HZ)
            if not check.that(done.returncode == 0 and profile,
                              f"async methods are recorded ({done.stderr})"):
                return
            right, wrong = dotnet_await.tallies(profile)
            if right.wrong or not dotnet_await.missing(right):
                break
    dotnet_await.judge(check, right, wrong, VERSION)


def judge_one_mapping(check, environment, tmp):
    """Checks that the callers of stubs in anonymous memory are found."""
    truth = Recorder(os.path.join(tmp, "truth"))
    environment = dict(environment, DOTNET_EnableWriteXorExecute="0", UNSPOOL_TRUTH=truth.path)
    with running([PROGRAM], wait_for=b"ready", env=environment) as target:
        time.sleep(WARM_S)
        done, profile = record("-p", target.pid, "-d", SECONDS + 2, out=os.path.join(tmp, "one.ndjson"),
                               hz=4 * HZ)
    if not check.that(done.returncode == 0 and profile,
                      "the recording of a runtime with all code in one mapping succeeds "
                      f"({done.stderr})"):
        return
    tally, judged, stubs, cut = Tally(), Judge(truth.chains()), 0, 0
    for case, frames, stack, count, edge in samples_of(profile, SETTLED_US):
        tally.add(judged, case, frames, stack, count, edge)
        if frames[0]["kind"] == "stub":
            stubs += count
            cut += count * (stack["status"] != "complete")
    percent = 100 * tally.complete / max(1, tally.n - tally.hijacked)
    print(f"code in one mapping: {tally.n} samples; of {tally.judged} judged stacks {tally.names} "
          "have the "
          f"right names and {tally.lines} the right lines; {percent:.2f} % of the stacks are "
          f"complete; {stubs} samples are in stubs, and {cut} of these have incomplete stacks")
    check.that(tally.judged - tally.lines <= max(2, tally.n // 500),
               "names and lines are right if all code is in one mapping")
    check.that(percent >= COMPLETE,
               f"stacks are complete if all code is in one mapping ({percent:.2f} %)")
    check.that(stubs >= 10 and 4 * cut <= stubs,
               f"stacks from stubs are complete if all code is in one mapping (all but {cut} "
               f"of {stubs})")


def judge_nesting(check, environment, tmp):
    truth = Recorder(os.path.join(tmp, "truth"))
    environment = dict(environment, UNSPOOL_TRUTH=truth.path)
    with running([PROGRAM], wait_for=b"ready", env=environment) as target:
        time.sleep(WARM_S)
        truth.start()
        done, profile = record("-p", target.pid, "-d", SECONDS + 2, out=os.path.join(tmp, "p.ndjson"),
                               hz=HZ)
        check.that(done.returncode == 0 and profile, f"the recording succeeds ({done.stderr})")
        if profile:
            runtimes = [x.get("runtime") for x in profile.lines if x["type"] == "process"]
            check.that(f".NET {VERSION}" in runtimes,
                       f"the recorder recognizes the runtime ({runtimes})")
            judge(check, profile, truth)
        judge_cases(check, target.pid, tmp)
        judge_core(check, target.pid, tmp)


def main():
    need_bpf()
    if not os.access(PROGRAM, os.X_OK):
        skip(f"this test needs the program {VERSION}-nesting, which ci/dotnet builds")
    if not shutil.which("gcore"):
        skip("this test needs gdb")
    check = Checks()
    environment = dict(os.environ, DOTNET_EnableDiagnostics="0", DOTNET_gcConcurrent="0",
                       MALLOC_ARENA_MAX="1")  # otherwise core files are large
    with folder() as tmp:
        judge_awaits(check, environment, tmp)
        judge_one_mapping(check, environment, tmp)
        dotnet_collector.judge(check, PROGRAM, environment, SECONDS + 2, tmp)
    with folder() as tmp:
        judge_nesting(check, environment, tmp)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
