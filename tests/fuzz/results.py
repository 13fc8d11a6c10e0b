#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""results.py FOUND FILE COMMAND COVERAGE ALL TARGET...: adds a run of ci/fuzz to a result file.

FOUND is the folder with the log, time and status of each target from ci/fuzz, COVERAGE the line
that tests/fuzz/coverage printed, ALL the names of all targets. Results accumulate: the head of the
file has the totals of all runs, including runs of other commits. Remove the file to start over.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import runs  # noqa: E402


def number(pattern, text):
    """The last match in the text, or 0."""
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def figure(found, target):
    """The results of one target."""
    log = (found / f"{target}.log").read_text(errors="replace")
    user, system = (found / f"{target}.time").read_text().split()[-2:]
    return {"target": target, "cpu_seconds": round(float(user) + float(system)),
            "executions": number(r"stat::number_of_executed_units: *(\d+)", log),
            "edges": number(r"\bcov: (\d+)", log),
            "crashes": int((found / f"{target}.status").read_text().strip() != "0")}


def totals(all_runs, targets):
    """The totals of each target over all runs."""
    figures = []
    for target in targets:
        own = [f for run in all_runs for f in run["figures"] if f["target"] == target]
        figures.append({"target": target, "edges": max((f["edges"] for f in own), default=0),
                        **{name: sum(f[name] for f in own)
                           for name in ("cpu_seconds", "executions", "crashes")}})
    return figures


def has_crashed(all_runs, target):
    """True if the last run of the target found a failing input."""
    own = [f for run in all_runs for f in run["figures"] if f["target"] == target]
    return bool(own) and own[-1]["crashes"] > 0


def main():
    found, file, command, coverage, every, *targets = sys.argv[1:]
    found, file = pathlib.Path(found), pathlib.Path(file)
    run = runs.begin(command)
    percent = re.search(r"([\d.]+) %", coverage)
    run["core_lines_percent"] = float(percent[1]) if percent else None
    run["figures"] = [figure(found, target) for target in targets]
    run["seconds"] = number(r"--seconds (\d+)", command)
    with runs.locked(file):
        all_runs = [*runs.read(file)["runs"], run]
        figures = totals(all_runs, every.split())
        result = "failed" if any(has_crashed(all_runs, f["target"]) for f in figures) else \
            "passed" if all(f["executions"] for f in figures) else "incomplete"
        runs.write(file, "fuzz", "ci/fuzz --seconds 3600", result, run, figures, all_runs)


main()
