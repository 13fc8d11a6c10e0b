#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Ends the recorder by each signal. The profile must be complete, or after SIGKILL the .partial
file readable, and no other .partial file, BPF object or process may be left behind."""

import contextlib
import fcntl
import functools
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time

from lib import (BUSY, UNSPOOL, Checks, Profile, at_once, folder, leave_out, need_bpf, node,
                 running, unspool, version_of, wait_until)

PINNED = "/sys/fs/bpf"


@contextlib.contextmanager
def recorder(target, tmp, *args, name="p.ndjson", **options):
    """Starts a recording; yields its process once samples are in the .partial file."""
    argv = [UNSPOOL, "record", "-q", "-F", "997", "-p", str(target.pid), "-o",
            os.path.join(tmp, name), *args]
    with running(argv, stderr=subprocess.DEVNULL, **options) as child:
        partial = os.path.join(tmp, f".{name}.partial")
        wait_until(lambda: os.path.exists(partial) and os.path.getsize(partial) > 2000)
        yield child


def programs_of(pid):
    """Returns the ids of the BPF programs of which a process has open descriptors."""
    ids = set()
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as f:
            ids.update(int(line.split()[1]) for line in f if line.startswith("prog_id:"))
    return ids


def loaded_programs():
    done = subprocess.run(["bpftool", "prog", "show", "-j"], capture_output=True, check=True)
    return {p["id"] for p in json.loads(done.stdout)}


def session_of(sid):
    """Returns the pids of the processes in a session, except for zombies."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rsplit(b")", 1)[1].split()
            if int(fields[3]) == sid and fields[0] != b"Z":
                found.append(int(pid))
    return found


def pinned():
    return sorted(os.path.join(d, f) for d, _, files in os.walk(PINNED) for f in files)


def nothing_left(check, child, programs, what):
    check.that(programs, f"{what}: the recorder holds BPF programs before the end: {len(programs)}")
    try:  # the kernel frees BPF programs some time after the process has exited
        wait_until(lambda: not programs & loaded_programs(), 5)
    except TimeoutError:
        pass
    check.equal(programs & loaded_programs(), set(),
                f"{what}: no BPF program of the recorder stays loaded")
    check.equal(session_of(child.pid), [], f"{what}: no process of the recorder is left")


def whole(check, path, what):
    profile = Profile(path)
    check.that(profile.lines[0]["type"] == "header" and profile.lines[-1]["type"] == "summary",
               f"{what}: the profile begins with the header and ends with the summary")
    check.equal(profile.count(), profile.summary["samples"],
                f"{what}: the profile contains every sample that the summary counts")
    check.that(profile.count() > 20,
               f"{what}: the profile has more than 20 samples: {profile.count()}")


def ended_by(check, number):
    what = signal.Signals(number).name
    before = pinned()
    with folder() as tmp, running([BUSY], b"running") as target, recorder(target, tmp) as child:
        programs = programs_of(child.pid)
        check.equal(os.listdir(tmp), [".p.ndjson.partial"],
                    f"{what}: before the recording ends, the folder contains only the .partial "
                    "file")
        os.kill(child.pid, number)
        check.equal(child.wait(20), 0, f"{what}: the recorder exits with 0")
        check.equal(os.listdir(tmp), ["p.ndjson"], f"{what}: the profile is the only file that "
                                                   "the recorder leaves")
        check.equal(os.stat(os.path.join(tmp, "p.ndjson")).st_mode & 0o777, 0o600,
                    f"{what}: the profile has mode 0600")
        whole(check, os.path.join(tmp, "p.ndjson"), what)
        nothing_left(check, child, programs, what)
        check.equal(target.poll(), None, f"{what}: the target still runs after the recording")
    check.equal(pinned(), before, f"{what}: the recorder leaves no pinned BPF object")


def killed(check):
    with folder() as tmp, running([BUSY], b"running") as target, recorder(target, tmp) as child:
        programs = programs_of(child.pid)
        child.kill()
        child.wait()
        check.equal(os.listdir(tmp), [".p.ndjson.partial"], "SIGKILL leaves only the .partial file")
        done = unspool("report", os.path.join(tmp, ".p.ndjson.partial"))
        check.that(done.returncode == 0 and "busy_inner" in done.stdout,
                   f"SIGKILL: `report` reads the .partial file: exit {done.returncode}, "
                   f"{done.stderr.strip()!r}")
        nothing_left(check, child, programs, "SIGKILL")
        again = unspool("record", "-q", "-F", 997, "-p", target.pid, "-d", "500ms", "-o",
                        os.path.join(tmp, "p.ndjson"))
        check.equal((again.returncode, os.listdir(tmp)), (0, ["p.ndjson"]),
                    "SIGKILL: a stale .partial file does not block the next recording")


def copies(check):
    with folder() as tmp, running([BUSY], b"running") as target, \
            recorder(target, tmp, name="p.ndjson.gz") as child:
        for n in (1, 2):
            child.send_signal(signal.SIGUSR1)
            wait_until(lambda n=n: os.path.exists(os.path.join(tmp, f"p-{n}.ndjson.gz")))
        child.send_signal(signal.SIGINT)
        check.equal(child.wait(20), 0,
                    "SIGUSR1: the recording continues until SIGINT and exits with 0")
        check.equal(sorted(os.listdir(tmp)), ["p-1.ndjson.gz", "p-2.ndjson.gz", "p.ndjson.gz"],
                    "SIGUSR1: each signal makes the recorder write one copy of the profile")
        for name in sorted(os.listdir(tmp)):
            path = os.path.join(tmp, name)
            plain = path.removesuffix(".gz")
            check.equal(unspool("convert", path, plain).returncode, 0,
                        f"SIGUSR1: `convert` reads {name}")
            whole(check, plain, f"SIGUSR1: {name}")


def is_stuck(pid, path):
    """Returns whether the whole profile is in the .partial file and the process is asleep."""
    with open(path, "rb") as file:
        done = b'{"type":"summary"' in file.read()
    with open(f"/proc/{pid}/stat", "rb") as file:
        return done and file.read().rsplit(b")", 1)[1].split()[0] == b"S"


@contextlib.contextmanager
def full_pipe(tmp, named):
    """Yields a pipe that nothing reads, with room for one byte, and its path."""
    path = os.path.join(tmp, "pipe")
    if named:
        os.mkfifo(path)
        out = os.open(path, os.O_RDWR)
        reader = os.dup(out)
    else:
        reader, out = os.pipe()
    os.write(out, b"x" * (fcntl.fcntl(out, fcntl.F_SETPIPE_SZ, 4096) - 1))
    try:
        yield out, path
    finally:
        os.close(reader)
        os.close(out)


def stuck(check, number, named=False, command=(), status=1):
    """A recorder that blocks on a full pipe ends at a signal, and keeps the profile."""
    what = f"{signal.Signals(number).name} with a full {'FIFO' if named else 'pipe'}"
    what += " and COMMAND" if command else ""
    with folder() as tmp, running([BUSY], b"running") as target, full_pipe(tmp, named) as (out, path):
        args = ["-o", path if named else "-", "-f", "ndjson", "-d", "1"]
        child = subprocess.Popen([UNSPOOL, "record", "-q", "-F", "4999", *args,
                                  *(command or ("-p", str(target.pid)))], cwd=tmp, text=True,
                                 stdout=subprocess.DEVNULL if named else out,
                                 stderr=subprocess.PIPE, start_new_session=True)
        try:
            partial = os.path.join(tmp, f".unspool-{child.pid}.partial")
            wait_until(lambda: os.path.exists(partial) and is_stuck(child.pid, partial))
            time.sleep(0.3)
            check.equal(child.poll(), None,
                        f"{what}: the recorder blocks while it writes to the full pipe")
            child.send_signal(number)
            said = child.communicate(timeout=20)[1]
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        check.equal((child.returncode, len(said.splitlines())), (status, 1),
                    f"{what}: the recorder exits with {status} after one line: {said.strip()}")
        whole(check, partial, what)
        check.equal(set(os.listdir(tmp)) - {"pipe"}, {os.path.basename(partial)},
                    f"{what}: the .partial file is the only file that the recorder leaves")
        check.equal(session_of(child.pid), [], f"{what}: no process of the recorder is left")


def stuck_report(check):
    """The profile gets its final name even if the report's pipe is full and nothing reads it."""
    with folder() as tmp, running([BUSY], b"running") as target, full_pipe(tmp, False) as (out, _):
        with recorder(target, tmp, "-d", "1", stdout=out) as child:
            wait_until(lambda: is_stuck(child.pid, os.path.join(tmp, ".p.ndjson.partial")))
            child.send_signal(signal.SIGTERM)
            check.equal(child.wait(20), 0,
                        "with a report that no process reads, SIGTERM ends the recorder with "
                        "exit status 0")
        whole(check, os.path.join(tmp, "p.ndjson"), "with a report that no process reads")


def second_recorder(check):
    with folder() as tmp, running([BUSY], b"running") as target, recorder(target, tmp) as child:
        done = unspool("record", "-p", target.pid, "-d", "200ms", "-o", os.path.join(tmp, "p.ndjson"))
        check.that(done.returncode == 2 and len(done.stderr.splitlines()) == 1,
                   f"a second recorder refuses, with one line, the file that the first one writes: "
                   f"{done.stderr.strip()!r}")
        other = unspool("record", "-q", "-p", target.pid, "-d", "500ms", "-o",
                        os.path.join(tmp, "other.ndjson"))
        check.equal(other.returncode, 0,
                    "two recorders can record the same target at the same time")
        child.send_signal(signal.SIGTERM)
        check.equal(child.wait(20), 0, "the first of two recorders still ends normally")
        whole(check, os.path.join(tmp, "p.ndjson"), "the first of two recorders")


def command(check, number, status):
    """The recorded command and its children end with the recording. @number: the signal; if it is
    None, -d ends the recording."""
    what = f"COMMAND, ended by {signal.Signals(number).name if number else '-d'}"
    with folder() as tmp:
        out = os.path.join(tmp, "p.ndjson")
        argv = [UNSPOOL, "record", "-q", "-F", "997", "-o", out, "-d", "30" if number else "1",
                "sh", "-c", f"{BUSY} & {BUSY}; wait"]
        with running(argv, b"running", stderr=subprocess.DEVNULL) as child:
            time.sleep(1)
            if number:
                os.kill(child.pid, number)
            check.equal(child.wait(20), status, f"{what}: the recorder exits with {status}")
            whole(check, out, what)
            check.equal(session_of(child.pid), [], f"{what}: no process of the recorder is left")


CLEANUP = """
process.on('SIGINT', () => { console.log('cleanup starts');
                             setTimeout(() => { console.log('cleanup ends'); process.exit(7); }, 2500); });
setInterval(() => { for (let i = 0; i < 1e6; i++); }, 0); console.log('running');
"""
PLAIN = "console.log('running'); for (;;);"


def typed(argv, cwd, presses):
    """Runs a command in a terminal, types Ctrl-C after each of @presses seconds once it runs.

    Returns (exit status, output, seconds from the first Ctrl-C)."""
    parent, child = pty.openpty()
    process = subprocess.Popen(["setsid", "--ctty", *argv], cwd=cwd, stdin=child, stdout=child,
                               stderr=child)
    os.close(child)
    text, began, first, left = b"", None, None, list(presses)
    end = time.monotonic() + 60
    try:
        while time.monotonic() < end:
            now = time.monotonic()
            if began is None and b"running" in text:
                began = now
            if began is not None and left and now - began >= left[0]:
                os.write(parent, b"\x03")
                first = first or now
                left.pop(0)
            if select.select([parent], [], [], 0.05)[0]:
                try:
                    text += os.read(parent, 65536)
                except OSError:
                    break
        status = process.wait(20)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(parent)
    return status, text.decode(errors="replace"), time.monotonic() - (first or end)


def interrupted(check, what, code, presses, status, wanted):
    """Ctrl-C goes to COMMAND. COMMAND's handler runs to its end, COMMAND's exit status is passed
    on, and the report is printed."""
    with folder() as tmp:
        path = os.path.join(tmp, "app.js")
        with open(path, "w", encoding="utf-8") as file:
            file.write(code)
        found, text, seconds = typed([UNSPOOL, "record", "-F", "997", "-o", "p.ndjson",
                                      node(version_of("24")), path], tmp, presses)
        check.equal(found, status, f"{what}: the recorder exits with {status}")
        check.equal("cleanup ends" in text, wanted,
                    f"{what}: COMMAND's handler "
                    f"{'runs to its end' if wanted else 'does not run to its end'}")
        check.that("self   total  function" in text, f"{what}: the recorder prints the report")
        check.that(seconds < 9,
                   f"{what}: the recorder ends within 9 s after the first Ctrl-C: {seconds:.1f} s")
        whole(check, os.path.join(tmp, "p.ndjson"), what)


def disk_full(check):
    """A full disk ends the recording: the error is printed, the exit status is that of the error,
    and the samples so far are reported."""
    with folder() as tmp:
        small = os.path.join(tmp, "small")
        os.mkdir(small)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k", "none", small], check=False)
        if done.returncode:
            leave_out("no file system can be mounted", "mount")
            return
        try:
            with running([BUSY], b"running") as target:
                done = unspool("record", "-q", "-F", "4999", "-p", target.pid, "-d", "20", "-o",
                               os.path.join(small, "p.ndjson"))
        finally:
            subprocess.run(["umount", "-l", small], check=True)
        check.equal((done.returncode, len(done.stderr.splitlines())), (1, 1),
                    f"`record` on a full disk fails with one line: {done.stderr.strip()}")
        check.that("No space left" in done.stderr,
                   "`record` on a full disk prints the kernel's error")
        check.that("busy_inner" in done.stdout, "`record` on a full disk prints the report")


def main():
    need_bpf()
    check = Checks()
    at_once(4, [functools.partial(part, check, *args) for part, *args in (
        (ended_by, signal.SIGINT), (ended_by, signal.SIGTERM), (ended_by, signal.SIGHUP),
        (killed,), (copies,), (second_recorder,), (stuck_report,),
        (stuck, signal.SIGTERM), (stuck, signal.SIGINT, True),
        (stuck, signal.SIGTERM, False, ("sh", "-c", f"exec {BUSY} >/dev/null"), 125),
        (command, None, 0), (command, signal.SIGTERM, 128 + signal.SIGTERM),
        (interrupted, "after Ctrl-C, with a handler in COMMAND", CLEANUP, (1,), 7, True),
        (interrupted, "after Ctrl-C, without a handler in COMMAND", PLAIN, (1,),
         128 + signal.SIGINT, False),
        (interrupted, "after two Ctrl-C", CLEANUP, (1, 1.5), 128 + signal.SIGTERM, False),
        (disk_full,))])
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
