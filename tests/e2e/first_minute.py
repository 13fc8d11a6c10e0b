#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""first_minute.py [TARGET...]: compares the first answers of Unspool with the truth about programs
that people run.

  first_minute.py               all targets of first_minute_targets.py
  first_minute.py --cheap       those that need only what ci/test has
  first_minute.py --list        prints the names

For each target three results are compared with the truth: what `unspool ps` prints about the
process, the share of complete stacks in a recording, and the first function of the report. Each
judge must also refuse a wrong truth: another function, another runtime, and a recording without
unwind rows. A target that is missing is skipped with the reason; if all are, the exit status is 77.
"""

import contextlib
import dataclasses
import functools
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

import results
from first_minute_targets import CHEAP, TARGETS, Missing
from lib import UNSPOOL, Checks, Profile, at_once, folder, leave_out, need_bpf, running, skip, unspool, wait_until

SECONDS = 3
HZ = 499
ENOUGH = 50  # samples
EARLY = 10  # first samples that do not count if their rows were not loaded yet
CONTROL = "Node.js script"  # also recorded without unwind rows, which the judge must refuse


@dataclasses.dataclass
class Answer:
    """The reports of Unspool about a target."""

    ps: dict
    samples: int
    complete: float
    name: str  # of the first function of the report; "": there is none
    place: str
    share: float
    text: str


def faults_of_ps(target, row):
    """Yields the faults of a row of `ps --json`."""
    if not row.get("runtime", "").startswith(target.runtime):
        yield f"ps reports the runtime {row.get('runtime')!r}, not {target.runtime!r}"
    if row.get("frames") != target.frames:
        yield f"ps reports the frames {row.get('frames')!r}, not {target.frames!r}"
    if target.why not in row.get("why_not", ""):
        yield f"ps reports {row.get('why_not')!r}, not {target.why!r}"
    if target.name not in row.get("name", ""):
        yield f"ps reports the name {row.get('name')!r}, not {target.name!r}"


def faults_of_stacks(target, answer):
    if answer.samples < ENOUGH:
        yield f"there are only {answer.samples} samples"
    if answer.complete < target.complete:
        yield f"{answer.complete:.2f} % of the stacks are complete, not {target.complete} %"


def faults_of_report(target, answer):
    if target.hot is None:
        if target.why not in answer.text:
            yield f"the report does not print {target.why!r}"
        return
    name, place = target.hot
    if not re.search(name, answer.name):
        yield f"the first function is {answer.name!r}, not {name!r}"
    if not re.search(place, answer.place):
        yield f"the first function is at {answer.place!r}, not {place!r}"


def judge(target, answer):
    """Returns the faults of ps, the stacks and the report."""
    return [list(faults_of_ps(target, answer.ps)), list(faults_of_stacks(target, answer)),
            list(faults_of_report(target, answer))]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def request(port, path, stop):
    """Sends requests one after another until @stop is set."""
    while not stop.is_set():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        with contextlib.suppress(OSError, http.client.HTTPException):
            while not stop.is_set():
                connection.request("GET", path)
                connection.getresponse().read()
        connection.close()
        stop.wait(0.05)


@contextlib.contextmanager
def requests(port, path):
    """Keeps a server busy. Returns when the server has answered once."""
    stop = threading.Event()
    threads = [threading.Thread(target=request, args=(port, path, stop)) for _ in range(2)]

    def is_up():
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", path)
            return connection.getresponse().status == 200
        return False

    wait_until(is_up, 60)
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def descendants(pid):
    found = [pid]
    for parent in found:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{task}/children", encoding="ascii") as file:
                    found += map(int, file.read().split())
    return found


def rows_of_ps(target, pid):
    """Returns the rows of the processes that the target consists of, the busiest first."""
    lines = unspool("ps", "--json", "--all").stdout.splitlines()
    pids = descendants(pid)
    if target.pids:
        pids = list(map(int, subprocess.run(target.pids, capture_output=True, text=True, check=True,
                                            env={**os.environ, **target.env}).stdout.split()))
    rows = [row for row in map(json.loads, lines) if row["pid"] in pids]
    return sorted(rows, key=lambda row: -row["cpus"])


@contextlib.contextmanager
def started(target):
    """Starts a target and returns the pid of its first process."""
    port = free_port()
    argv = [str(port) if arg == "PORT" else arg.replace(":PORT", f":{port}") for arg in target.argv]
    with contextlib.ExitStack() as stack:
        if target.finish:
            stack.callback(subprocess.run, target.finish, stdout=subprocess.DEVNULL, check=False,
                           env={**os.environ, **target.env})
        child = stack.enter_context(running(argv, cwd=target.cwd, env={**os.environ, **target.env},
                                            stderr=subprocess.DEVNULL))
        if any("PORT" in arg for arg in target.argv):
            threading.Thread(target=child.stdout.read, daemon=True).start()
            stack.enter_context(requests(port, target.path))
        elif target.finish:
            child.wait(timeout=60)
        else:
            wait_for_line(child, b"started")
        time.sleep(1)
        yield child.pid


def wait_for_line(child, start):
    for line in child.stdout:
        if line.startswith(start):
            return
    raise Missing(f"{child.args[0]} ended before it printed {start.decode()}")


def prepare(target, row):
    for command in [target.prepare] if target.prepare else []:
        subprocess.run(["nsenter", "-t", str(row["pid"]), "-m", "-r", "-w", *[
            str(row["pid"]) if arg == "PID" else arg for arg in command]],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def report_of(path):
    """Returns (name, place and share of the report's first function, text of the report)."""
    text = unspool("report", path).stdout
    done = unspool("report", "-f", "json", path)
    sections = {s["id"]: s for s in json.loads(done.stdout)["sections"]} if done.stdout else {}
    rows = sections.get("hottest", {}).get("rows") or [{"name": "", "where": "", "self": 0}]
    samples = sections.get("hottest", {}).get("samples") or 1
    return rows[0]["name"], rows[0]["where"], 100 * rows[0]["self"] / samples, text


def record(target, row, tmp, *options):
    """Records the processes with the wanted name, or else the busiest process, into a file with the
    default name. Returns the path, or None, and stderr."""
    wanted = target.wanted or row["pid"]
    before = set(os.listdir(tmp))
    done = subprocess.run([UNSPOOL, "record", "-q", "-F", str(HZ), "-d", str(SECONDS), "-p", str(wanted), *options],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False, cwd=tmp)
    made = set(os.listdir(tmp)) - before
    return os.path.join(tmp, made.pop()) if made else None, done.stderr.strip()


def ask(target, pid, tmp, *options):
    """Returns the Answer, or the error of `record`."""
    rows = rows_of_ps(target, pid) or [{"pid": pid}]
    prepare(target, rows[0])
    if target.prepare:
        rows = rows_of_ps(target, pid)
    path, error = record(target, rows[0], tmp, *options)
    if not path:
        return Answer(rows[0], 0, 0, "", "", 0, error)
    unspool("convert", path, f"{tmp}/minute.ndjson")
    summary = Profile(f"{tmp}/minute.ndjson").summary
    samples = summary["samples"]
    early = min(summary["truncated"].get("unwind rows not loaded", 0), EARLY)
    return Answer(rows[0], samples, 100 * summary["complete"] / max(samples - early, 1), *report_of(path))


def check_judge(check, name, target, answer):
    """The judge must refuse wrong truths about an answer that it accepts."""
    wrong = {"another runtime": dataclasses.replace(target, runtime="no runtime"),
             "another reason": dataclasses.replace(target, why="no reason"),
             "another function": dataclasses.replace(target, hot=("^noFunction$", "")),
             "another place": dataclasses.replace(target, hot=("", "/no.file:1$"))}
    for words, other in wrong.items():
        check.that(any(judge(other, answer)), f"{name}: the judge refuses {words}", quiet=True)
    check.that(judge(target, dataclasses.replace(answer, complete=target.complete - 1))[1] or
               not target.complete, f"{name}: the judge refuses incomplete stacks", quiet=True)


def check_target(check, name, target):
    with started(target) as pid, folder() as tmp:
        answer = ask(target, pid, tmp)
        faults = judge(target, answer)
        if name == CONTROL:
            bad = ask(target, pid, tmp, "--max-memory", "0")
            check.that(judge(target, bad)[1],
                       f"{name}: the judge refuses a recording without unwind rows: {bad.complete:.0f} % complete")
    words = f"{name}: {answer.ps.get('runtime')}, {answer.ps.get('frames')}" \
            f"{', ' + answer.ps['why_not'] if answer.ps.get('why_not') else ''}; " \
            f"{answer.complete:.2f} % of {answer.samples} complete; " \
            f"{answer.share:.1f} % {answer.name}  {answer.place}"
    good = check.that(not any(faults), words)
    for fault in sum(faults, []):
        print("   ", fault, flush=True)
    if not good and not answer.samples:
        print("   ", answer.text.strip().splitlines()[-1:], flush=True)
    if good:
        check_judge(check, name, target, answer)
    results.add(key=[name], target=name, ps="right" if not faults[0] else "; ".join(faults[0]),
                runtime=answer.ps.get("runtime"), frames=answer.ps.get("frames"),
                why_not=answer.ps.get("why_not"), samples=answer.samples,
                complete=round(answer.complete, 2),
                stacks="right" if not faults[1] else "; ".join(faults[1]), first=answer.name, place=os.path.basename(answer.place),
                share=round(answer.share, 1), report="right" if not faults[2] else "; ".join(faults[2]))


def main():
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    if "--list" in sys.argv:
        print(*TARGETS, sep="\n")
        return 0
    names = names or (CHEAP if "--cheap" in sys.argv else list(TARGETS))
    need_bpf()
    check, missing = Checks(), {}

    def run(name):
        try:
            check_target(check, name, TARGETS[name]())
        except Missing as err:
            missing[name] = str(err)
            if "--cheap" in sys.argv:
                leave_out(f"{name}: {err}", "sourcemaps" if "esbuild" in name else "node")
            else:
                print(f"missing: {name}: {err}", flush=True)
            results.add(key=[name], target=name, missing=str(err))

    at_once(len(CHEAP) if "--cheap" in sys.argv else 1, [functools.partial(run, name) for name in names])
    if len(missing) == len(names):
        skip(f"no target exists: {next(iter(missing.values()))}")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
