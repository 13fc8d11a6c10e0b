#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The walk at each instruction of a live program, and the judge of it.

    steps.py STEP_V8|STEP_DOTNET [FAULT...]

Without a FAULT, each step of Node.js 24, or of some cases of fixtures/dotnet/nesting.cs, must be
right. With some, the judge is judged: one walk of 100 is made wrong in this way
(tests/inspect/step_spoil.h), and the figure must fall below the goal, by no more than was planted.
"""

import os
import re
import subprocess
import sys

from lib import TOP, Checks, node, skip, version_of

DOTNET = "10.0.14"
CASES = "OneCall", "Virtual", "Lambda", "Callback"
PLANTED = 1.0  # %


def node_steps():
    """Of a run: the goal, steps, with faults, the program's name and what runs it."""
    program = [node(version_of("24")), os.path.join(TOP, "fixtures/node/steps.js")]
    return 99.5, 5000, 1000, "Node.js " + version_of("24"), ["500", *program]


def dotnet_steps():
    program = os.path.join(os.environ.get("UNSPOOL_DOTNET_DIR", ""), f"{DOTNET}-nesting/nesting")
    if not os.access(program, os.X_OK):
        skip(f"needs {DOTNET}-nesting of ci/dotnet")
    return 99.9, 2000, 2000, ".NET " + DOTNET, ["300", program, *CASES]


def run(judge, goal, steps, name, arguments, fault=None):
    """The exit status, the percentage that was right, and the whole output."""
    env = dict(os.environ, STEP_FAIL_UNDER=str(goal), STEP_NAME=name)
    if fault:
        env["STEP_SPOIL"] = fault
        env.pop("UNSPOOL_RESULTS", None)
    done = subprocess.run([judge, str(steps), *arguments], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    match = re.search(r"together ([\d.]+) %", done.stdout)
    return done.returncode, float(match.group(1)) if match else -1, done.stdout


def main():
    check = Checks()
    judge, faults = sys.argv[1], sys.argv[2:]
    goal, steps, faulty_steps, name, arguments = (
        dotnet_steps() if os.path.basename(judge) == "step_dotnet" else node_steps())

    if not faults:
        status, right, text = run(judge, goal, steps, name, arguments)
        print(text)
        check.that(status == 0 and right >= goal, f"{right} % of {steps} steps are right")
    for fault in faults:
        status, right, text = run(judge, goal, faulty_steps, name, arguments, fault)
        noticed = status == 1 and goal - 2 * PLANTED < right < goal
        check.that(noticed, f"1 of 100 walks {fault}: {right} % are right")
        if not noticed:
            print(text)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
