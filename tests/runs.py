# SPDX-License-Identifier: BSD-2-Clause
"""Result files of docs/results (docs/reference/ci.md has their format): the commit and machine
of a run, and atomic replacement of a file that other processes may write at the same time."""

import contextlib
import datetime
import fcntl
import json
import os
import pathlib
import platform
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[1]
NOT_SOURCES = (":!docs/results", ":!docs/support-matrix.md",
               ":!docs/measurements/first-minute.md")  # written by runs
OF_A_RUN = ("commit", "date", "kernel", "cpus", "load")


def git(*args):
    return subprocess.run(["git", *args], cwd=TOP, check=True, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL).stdout.strip()


def commit():
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *NOT_SOURCES)
    return git("rev-parse", "HEAD") + ("+changes" if changed else "")


def load():
    return round(os.getloadavg()[0], 2)


def begin(command):
    """The record of a run at its start."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"commit": commit(), "command": command, "date": now, "kernel": platform.release(),
            "cpus": os.cpu_count(), "load": [load()], "seconds": 0, "figures": []}


def end(run, seconds):
    """Completes the record; may be called again for a continued run."""
    run["seconds"] = round(seconds)
    run["load"][1:] = [load()]


def read(file):
    """The content of a result file, which may not be there yet."""
    return {"figures": [], "runs": [], **(json.loads(file.read_text()) if file.exists() else {})}


@contextlib.contextmanager
def locked(file):
    """Excludes other writers of the file."""
    lock = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def lines_of(values):
    """One value per line, so that a change of one value changes one line."""
    return "[" + ",".join("\n   " + json.dumps(value) for value in values) + "]"


def text_of(run):
    head = {name: value for name, value in run.items() if name != "figures"}
    return f'{json.dumps(head)[:-1]}, "figures": {lines_of(run["figures"])}}}'


def write(file, part, command, result, run, figures, runs=()):
    """@command: repeats all; @run: the last run; @figures: those of all runs; @runs: each run,
    if they add up."""
    head = {"schema": 1, "part": part, "result": result, "command": command,
            **{name: run[name] for name in OF_A_RUN},
            "seconds": sum(each["seconds"] for each in runs or [run])}
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    lines.append(f' "figures": {lines_of(figures)}')
    if runs:
        lines.append(' "runs": [' + ",\n  ".join(text_of(each) for each in runs) + "]")
    new = f"{file}.{os.getpid()}"
    with open(new, "w", encoding="utf-8") as out:
        out.write("{\n" + ",\n".join(lines) + "\n}\n")
    os.replace(new, file)
