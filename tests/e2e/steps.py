#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The walk at each instruction of a live Node.js, and the judge of it.

    steps.py STEP_V8 [FAULT...]

Without a FAULT, 5,000 steps of Node.js 24 must be right. With some, the judge is judged: one walk
of 100 is made wrong in this way (tests/inspect/step_spoil.h), and the figure must fall below the
goal, by no more than was planted.
"""

import os
import re
import subprocess
import sys

from lib import TOP, Checks, node, version_of

GOAL = 99.5  # %
STEPS, FAULTY_STEPS = 5000, 1000
WARM_MS = 500
PLANTED = 1.0  # %


def run(step_v8, steps, fault=None):
    """The exit status, the percentage that was right, and the whole output."""
    env = dict(os.environ, STEP_FAIL_UNDER=str(GOAL), STEP_NAME="Node.js " + version_of("24"))
    if fault:
        env["STEP_SPOIL"] = fault
        env.pop("UNSPOOL_RESULTS", None)
    done = subprocess.run(
        [step_v8, str(steps), str(WARM_MS), node(version_of("24")),
         os.path.join(TOP, "fixtures/node/steps.js")],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    match = re.search(r"together ([\d.]+) %", done.stdout)
    return done.returncode, float(match.group(1)) if match else -1, done.stdout


def main():
    check = Checks()
    step_v8, faults = sys.argv[1], sys.argv[2:]

    if not faults:
        status, right, text = run(step_v8, STEPS)
        print(text)
        check.that(status == 0 and right >= GOAL, f"{right} % of {STEPS} steps are right")
    for fault in faults:
        status, right, text = run(step_v8, FAULTY_STEPS, fault)
        noticed = status == 1 and GOAL - 2 * PLANTED < right < GOAL
        check.that(noticed, f"1 of 100 walks {fault}: {right} % are right")
        if not noticed:
            print(text)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
