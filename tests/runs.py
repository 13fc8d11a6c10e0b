# SPDX-License-Identifier: BSD-2-Clause
"""Result files of docs/results (docs/reference/ci.md has their format): what a run was made of and on, and a
replacement of the file that other processes may write at the same time."""

import contextlib
import datetime
import fcntl
import json
import os
import pathlib
import platform
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[1]
NOT_SOURCES = (":!docs/results", ":!docs/support-matrix.md")  # written by runs
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
    """What is known of a run at its start."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"commit": commit(), "command": command, "date": now, "kernel": platform.release(),
            "cpus": os.cpu_count(), "load": [load()], "seconds": 0, "figures": []}


def end(run, seconds):
    """May be called again, of a run that went on."""
    run["seconds"] = round(seconds)
    run["load"][1:] = [load()]


def read(file):
    """The content of a result file, which may not be there yet."""
    return {"figures": [], "runs": [], **(json.loads(file.read_text()) if file.exists() else {})}


@contextlib.contextmanager
def locked(file):
    """Nobody else reads the file to write it."""
    lock = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def lines_of(values):
    """A line a value, so that a change of one is a change of one line."""
    return "[" + ",".join("\n   " + json.dumps(value) for value in values) + "]"


def text_of(run):
    head = {name: value for name, value in run.items() if name != "figures"}
    return f'{json.dumps(head)[:-1]}, "figures": {lines_of(run["figures"])}}}'


def write(file, part, command, result, run, figures, runs=()):
    """@command: repeats all; @run: the last one; @figures: of all; @runs: each one, if they add up."""
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
