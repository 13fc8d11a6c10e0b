#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""results.py PART FILE COMMAND...: runs a part of ci/qualify and writes docs/results/PART.json.

COMMAND finds the name of a file in UNSPOOL_RESULTS. A test appends its figures there, one JSON
object a line: by add(), which does nothing without that name, or by a shell's echo. FILE stays
as it is when COMMAND cannot run here (exit status 3 or 77). docs/reference/ci.md has the format.

A figure with a "key" replaces that of the same key in FILE and carries the commit and date of its
run, so that a run of some of the cells leaves the others. Figures without one are the last run's.
"""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import runs  # noqa: E402

CANNOT_RUN = (3, 77)


def add(**figure):
    path = os.environ.get("UNSPOOL_RESULTS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(figure) + "\n")


def merged(old, new, run):
    """Figures of a file and of a run."""
    of_run = {name: run[name] for name in ("commit", "date", "load")}
    new = [{**figure, **of_run} if "key" in figure else figure for figure in new]
    keys = [figure["key"] for figure in new if "key" in figure]
    return [f for f in old if "key" in f and f["key"] not in keys] + new


def execute(command):
    """Its exit status, and the figures that it left."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as lines:
        status = subprocess.run(command, check=False,
                                env={**os.environ, "UNSPOOL_RESULTS": lines.name}).returncode
        return status, [json.loads(line) for line in lines.read().splitlines()]


def main(part, path, *command):
    file = pathlib.Path(path)
    arguments = ["--", *command[3:]] if command[3:] else []
    run = runs.begin(shlex.join(["ci/qualify", part, *arguments]))
    since = time.monotonic()
    status, figures = execute(command)
    if status in CANNOT_RUN:
        return status
    runs.end(run, time.monotonic() - since)
    file.parent.mkdir(parents=True, exist_ok=True)
    with runs.locked(file):
        figures = merged(runs.read(file)["figures"], figures, run)
        runs.write(file, part, run["command"], "failed" if status else "passed", run, figures)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
