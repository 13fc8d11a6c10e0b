#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""results.py PART FILE COMMAND...: runs a part of ci/qualify and writes docs/results/PART.json.

COMMAND finds the name of a file in UNSPOOL_RESULTS. A test appends its figures there, one JSON
object a line: by add(), which does nothing without that name, or by a shell's echo. FILE stays
as it is when COMMAND cannot run here (exit status 3 or 77). docs/ci.md has the format.

A figure with a "key" replaces that of the same key in FILE and carries the commit and date of its
run, so that a run of some of the cells leaves the others. Figures without one are the last run's.
"""

import datetime
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../..")
CANNOT_RUN = (3, 77)
NOT_SOURCES = (":!docs/results", ":!docs/support-matrix.md")  # written by runs


def add(**figure):
    path = os.environ.get("UNSPOOL_RESULTS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(figure) + "\n")


def git(*args):
    return subprocess.run(["git", *args], cwd=TOP, check=True, capture_output=True, text=True).stdout.strip()


def commit():
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *NOT_SOURCES)
    return git("rev-parse", "HEAD") + ("+changes" if changed else "")


def load():
    return round(os.getloadavg()[0], 2)


def merged(old, new, head):
    """Figures of a file and of a run of @head."""
    of_run = {name: head[name] for name in ("commit", "date", "load")}
    new = [{**figure, **of_run} if "key" in figure else figure for figure in new]
    keys = [figure["key"] for figure in new if "key" in figure]
    return [f for f in old if "key" in f and f["key"] not in keys] + new


def text_of(head, figures):
    """A line a figure, so that a change of one is a change of one line."""
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    rows = ",\n".join("    " + json.dumps(figure) for figure in figures)
    return "{\n" + "\n".join(lines) + '\n  "figures": [\n' + rows + "\n  ]\n}\n"


def read(path):
    if not os.path.exists(path):
        return {"figures": []}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def run(part, path, command):
    now = datetime.datetime.now(datetime.timezone.utc)
    head = {"schema": 1, "part": part, "commit": commit(), "date": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "seconds": 0, "kernel": platform.release(), "cpus": os.cpu_count(), "load": [load()],
            "command": shlex.join(["ci/qualify", part, *(["--", *command[3:]] if command[3:] else [])])}
    since = time.monotonic()
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as lines:
        status = subprocess.run(command, check=False,
                                env={**os.environ, "UNSPOOL_RESULTS": lines.name}).returncode
        figures = [json.loads(line) for line in lines.read().splitlines()]
    if status in CANNOT_RUN:
        return status
    head["seconds"] = round(time.monotonic() - since)
    head["load"].append(load())
    head["result"] = "failed" if status else "passed"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    text = text_of(head, merged(read(path)["figures"], figures, head))
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(path + ".new", path)
    return status


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2], sys.argv[3:]))
