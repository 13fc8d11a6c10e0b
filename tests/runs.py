# SPDX-License-Identifier: BSD-2-Clause
"""A result file of docs/results that grows run by run: what each run was made of and on, and a
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
OF_A_RUN = ("commit", "date", "kernel", "cpus", "load")


def begin(command):
    """What is known of a run at its start; "seconds" and "figures" are its own."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=TOP, check=True, text=True,
                            capture_output=True, stdin=subprocess.DEVNULL).stdout.strip()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"commit": commit, "command": command, "date": now, "kernel": platform.release(),
            "cpus": os.cpu_count(), "load": [round(n, 2) for n in os.getloadavg()],
            "seconds": 0, "figures": []}


def read(file):
    """The runs of a result file, oldest first."""
    return json.loads(file.read_text())["runs"] if file.exists() else []


@contextlib.contextmanager
def locked(file):
    """Nobody else reads the file to write it."""
    lock = os.open(file.parent, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def text_of(run):
    """A line a figure, so that a change of one is a change of one line."""
    head = {name: value for name, value in run.items() if name != "figures"}
    figures = ",\n   ".join(json.dumps(figure) for figure in run["figures"])
    return f'{json.dumps(head)[:-1]}, "figures": [\n   {figures}]}}'


def write(file, part, command, result, figures, runs):
    """@command: repeats all of it; @figures: of all runs together; the newest run is the last."""
    head = {"schema": 1, "part": part, "result": result, "command": command,
            **{name: runs[-1][name] for name in OF_A_RUN},
            "seconds": sum(run["seconds"] for run in runs), "figures": figures}
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    lines.append(' "runs": [' + ",\n  ".join(text_of(run) for run in runs) + "]")
    new = f"{file}.{os.getpid()}"
    with open(new, "w", encoding="utf-8") as out:
        out.write("{\n" + "\n".join(lines) + "\n}\n")
    os.replace(new, file)
