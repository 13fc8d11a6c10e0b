#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""dotnet_matrix.py [OPTION]... VERSION...: measures how exact the stacks of .NET are, for each cell
of the support matrix.

A cell is a version, a mode and a case of fixtures/dotnet/nesting.cs (dotnet_nesting.py). All cases
of a version and mode run at once, in UNSPOOL_DOTNET_DIR/VERSION-nesting, -nesting-single or
-nesting-composite.

  names     % of the complete stacks whose frames are a chain that the runtime itself reported,
            from the leaf to the root; too many that end at a call (dotnet_calls.py) are wrong
  lines     % of the complete stacks whose names and lines are right
  complete  % of all samples of the case whose stack is complete and ends where threads begin

  -m NAME[,NAME]  these modes      -s SECONDS  of each recording; default 40
  -n SAMPLES      a cell, at least; default 200: with fewer it is left out
  -v              print what was not exact

The cells are figures of ci/qualify (results.py).
"""

import argparse
import os
import sys
import time

from dotnet_nesting import CASES, Judge, Tally, samples_of
from dotnet_truth import Recorder
from lib import Checks, folder, need_bpf, record, running
from support import GOALS, Cell

MODES = {
    "default": ("", {}),
    "single-file": ("-single", {}),
    "optimized": ("", {"DOTNET_TieredCompilation": "0"}),
    "jit": ("", {"DOTNET_ReadyToRun": "0"}),
    "two-tiers": ("", {"DOTNET_TieredPGO": "0", "DOTNET_TC_QuickJitForLoops": "0"}),
    "server-gc": ("", {"DOTNET_gcServer": "1"}),
    "one-mapping": ("", {"DOTNET_EnableWriteXorExecute": "0"}),
    "composite": ("-composite", {"DOTNET_TieredCompilation": "0"}),
}
HZ = 997
WARM_S = 6
SETTLED_US = 3000000  # samples before this time do not count, while unwind rows are loaded


def tallies(version, mode, seconds):
    """Returns {case: Tally}, or None if there is no such program."""
    suffix, environment = MODES[mode]
    program = os.path.join(os.environ.get("UNSPOOL_DOTNET_DIR", ""), f"{version}-nesting{suffix}/nesting")
    if not os.access(program, os.X_OK):
        return None
    with folder() as tmp:
        truth = Recorder(os.path.join(tmp, "truth"))
        env = dict(os.environ, DOTNET_EnableDiagnostics="0", UNSPOOL_TRUTH=truth.path, **environment)
        with running([program], wait_for=b"ready", env=env) as child:
            time.sleep(WARM_S)
            _, profile = record("-p", child.pid, "-d", f"{seconds}s", out=os.path.join(tmp, "p.ndjson"),
                                hz=HZ, timeout=seconds + 60)
        found, judge = {}, Judge(truth.chains())
        for case, *sample in samples_of(profile, SETTLED_US) if profile else ():
            found.setdefault(case, Tally()).add(judge, case, *sample)
    return found


def report(check, label, tally, args):
    """Returns the cell, or None if there are too few samples."""
    if not check.that(tally and tally.n >= args.samples,
                      f"{label}: there are at least {args.samples} samples: "
                      f"{tally.n if tally else 0}",
                      quiet=True):
        return None
    cell = Cell(*tally.figures, tally.n)
    check.that(cell.good, f"{label}: the cell reaches its goals with {cell} of {tally.n} samples")
    check.that(not tally.over(),
               f"{label}: the judge leaves out no kind of sample too often "
               f"({', '.join(tally.over())})",
               quiet=True)
    for what, count in sorted(tally.misses.items(), key=lambda x: -x[1])[:8 * args.verbose]:
        print(f"    {count} {what}")
    return cell


def run(check, args, version, mode):
    found = tallies(version, mode, args.seconds)
    if not check.that(found, f"{version} {mode}: the recording succeeds", quiet=True):
        return
    for case in CASES:
        cell = report(check, f"{version} {mode} {case}", found.get(case), args)
        if cell:
            cell.add(version, mode, case)


def main():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-m", dest="modes", type=words, default=list(MODES))
    parser.add_argument("-s", dest="seconds", type=int, default=40)
    parser.add_argument("-n", dest="samples", type=int, default=200)
    parser.add_argument("-v", dest="verbose", action="store_true")
    parser.add_argument("versions", nargs="+")
    args = parser.parse_args()
    if set(args.modes) - set(MODES):
        parser.error(f"unknown mode; use some of {', '.join(MODES)}")
    need_bpf()
    check = Checks()
    print("goals: " + ", ".join(f"{name} {goal} %" for name, goal in GOALS.items()))
    for version in args.versions:
        for mode in args.modes:
            run(check, args, version, mode)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
