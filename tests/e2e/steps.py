#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Judges the walk at each instruction of a live program.

    steps.py STEP_V8|STEP_DOTNET [FAULT...]

Without FAULT each step of Node.js 24, or of some cases of fixtures/dotnet/nesting.cs, must be
right. FAULTs test the judge itself: for each FAULT one walk of 100 is made wrong in this way
(tests/inspect/step_spoil.h). The judge must refuse each walk that was made wrong, in any code of
the program. Of the other walks it may refuse as many as in a run that just reaches the goal
(bounds.py). If enough walks were made wrong, the share of right walks must be below the goal.
"""

import os
import re
import subprocess
import sys

from bounds import most_misses
from lib import TOP, Checks, node, skip, version_of

DOTNET = "10.0.14"
CASES = "OneCall", "Virtual", "Lambda", "Callback"


def node_steps():
    """Returns the goal, the numbers of steps without and with faults, the name and the command."""
    program = [node(version_of("24")), os.path.join(TOP, "fixtures/node/steps.js")]
    return 99.5, 5000, 1000, "Node.js " + version_of("24"), ["500", *program]


def dotnet_steps():
    program = os.path.join(os.environ.get("UNSPOOL_DOTNET_DIR", ""), f"{DOTNET}-nesting/nesting")
    if not os.access(program, os.X_OK):
        skip(f"this test needs the program {DOTNET}-nesting, which ci/dotnet builds")
    return 99.9, 2000, 2000, ".NET " + DOTNET, ["300", program, *CASES]


def run(judge, goal, steps, name, arguments, fault=None):
    """Returns (exit status, output)."""
    env = dict(os.environ, STEP_FAIL_UNDER=str(goal), STEP_NAME=name)
    if fault:
        env["STEP_SPOIL"] = fault
        env.pop("UNSPOOL_RESULTS", None)
    done = subprocess.run([judge, str(steps), *arguments], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def figure(text, pattern):
    match = re.search(pattern, text)
    return float(match.group(1)) if match else -1


def right_of(text):
    """Returns the percentage of right walks that the output of a run has."""
    return figure(text, r"together ([\d.]+) %")


def judge_fault(check, goal, steps, fault, status, text):
    planted, noticed = figure(text, r"spoiled (\d+)"), figure(text, r"noticed (\d+)")
    missed, right = figure(text, r"missed (\d+)"), right_of(text)
    most = most_misses(steps, goal)
    good = status == 1 and right < goal and planted == noticed and missed - planted <= most
    if not check.that(good, f"{fault}: the judge refuses all {planted:.0f} planted wrong walks "
                            f"({noticed:.0f}) and few other walks: the judge refuses {missed:.0f} "
                            f"of {steps} walks, and {right} % are right"):
        print(text)


def main():
    check = Checks()
    judge, faults = sys.argv[1], sys.argv[2:]
    goal, steps, faulty_steps, name, arguments = (
        dotnet_steps() if os.path.basename(judge) == "step_dotnet" else node_steps())

    if not faults:
        status, text = run(judge, goal, steps, name, arguments)
        print(text)
        check.that(status == 0 and right_of(text) >= goal,
                   f"walks are right at {goal} % or more of {steps} steps: {right_of(text)} %")
    for fault in faults:
        judge_fault(check, goal, faulty_steps, fault,
                    *run(judge, goal, faulty_steps, name, arguments, fault))
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
