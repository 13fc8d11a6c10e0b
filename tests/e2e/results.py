#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""results.py PART FILE COMMAND...: runs a part of ci/qualify and writes docs/results/PART.json.

Tests append their figures to the file UNSPOOL_RESULTS, one JSON object per line: with add(), which
does nothing if that variable is not set, or with echo. FILE is unchanged if COMMAND cannot run here
(exit status 3 or 77). docs/reference/ci.md has the format.

A figure with a "key" replaces the figure with the same key in FILE, and has the commit and date of
its run. So a run of some cells keeps the other cells. All figures without a key are from the last
run.
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
    """Returns the figures of a file, updated with those of a run."""
    of_run = {name: run[name] for name in ("commit", "date", "load")}
    new = [{**figure, **of_run} if "key" in figure else figure for figure in new]
    keys = [figure["key"] for figure in new if "key" in figure]
    return [f for f in old if "key" in f and f["key"] not in keys] + new


def execute(command):
    """Runs COMMAND; returns its exit status and figures."""
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
