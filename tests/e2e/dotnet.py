#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""dotnet.py VERSION [SECONDS]: stacks of .NET against methods that nest in a known way.

Records VERSION-nesting/nesting of UNSPOOL_DOTNET_DIR (fixtures/dotnet/nesting.cs). Of each thread
the frames of its class, outermost first, have to be the beginning of the only chain that its source
allows, wherever the walk reached the root. The same judge must refuse each of these stacks when the leaf's caller is taken from it.
"""

import itertools
import os
import sys
import time

from lib import Checks, folder, need_bpf, record, running, skip

FOLDER = os.environ.get("UNSPOOL_DOTNET_DIR") or skip("needs .NET programs (ci/dotnet)")
VERSION = sys.argv[1]
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 4
SETTLED_US = 2000000  # until then unwind rows are loaded
PROGRAM = os.path.join(FOLDER, VERSION + "-nesting", "nesting")
HZ = 499
WARM_S = 4  # methods are compiled again, on-stack replacement included

# Outermost first.
CHAINS = {
    "Frameless": ["Loop()", "TinyA(long)", "TinyB(long)", "Tiny(long)"],
    "OneCall": ["Loop()", "CallA(long)", "CallB(long)", "Work(long)"],
    "Recursion": ["Loop()"] + ["Down(long)"] * 21 + ["Work(long)"],
    "Osr": ["Loop()", "OsrA(long)", "OsrB(long)", "OsrLoop(long)"],
    "Finally": ["Loop()", "FinA(long)", "FinB(long)", "Work(long)"],
    "Callback": ["Loop()", "Sort(long[])", "Compare(long*, long*)", "Work(long, long)"],
    "Reflected": ["Loop()", "Work(long)"],
    "Dynamic": ["Loop()", "Work(long)"],
    "Objects": ["Loop()", "Build(long)", "Add(Node, long)"],
}


def own(case, names):
    """The frames of a case's class, outermost first, as its source calls them."""
    prefix = f"Nest.{case}."
    return [n[len(prefix):] for n in reversed(names) if n and n.startswith(prefix)]


def is_right(case, names):
    mine = own(case, names)
    return bool(mine) and mine == CHAINS[case][:len(mine)]


def samples_of(profile):
    """(case, frames leaf first, stack, how many) of each stack of a case's thread."""
    threads = {}
    for line in profile.lines:
        if line["type"] == "thread":
            threads[line["tid"]] = line["name"]
        if line["type"] != "samples":
            continue
        case = threads.get(line["tid"], "?")[1:]
        count = sum(t >= SETTLED_US for t in itertools.accumulate(line["t"]))
        if case in CHAINS and count:
            stack = profile.stacks[line["stack"]]
            yield (case, [profile.frames[i] for i in stack["frames"]], stack, count)


def judge(check, profile):
    total = wrong = complete = unnamed = callers = refused = 0
    for case, frames, stack, count in samples_of(profile):
        names = [f.get("name") for f in frames]
        total += count
        complete += count * (stack["status"] == "complete")
        unnamed += count * any(f["kind"] == "dotnet" and not f.get("name") for f in frames)
        if stack["status"] != "complete" and stack.get("reason") != "guessed frame":
            continue  # its outer part is missing, and it says so
        if not is_right(case, names):
            wrong += count
            print(f"  {count} of {case}: {own(case, names)} {stack.get('reason', '')}")
            continue
        depth = len(own(case, names))
        if 3 <= depth and case != "Recursion":
            mine = [i for i, n in enumerate(names) if n and n.startswith(f"Nest.{case}.")]
            callers += 1
            refused += not is_right(case, names[:mine[1]] + names[mine[1] + 1:])
    percent = 100 * complete / total if total else 0
    print(f".NET {VERSION}: {total} samples, {wrong} wrong, {unnamed} unnamed, "
          f"{percent:.2f} % complete")
    check.that(total >= 50 * SECONDS, f"enough samples are judged ({total})")
    check.that(wrong <= total / 1000, f"frames nest as the source says ({wrong} of {total} do not)")
    check.that(unnamed <= total / 1000, f"every managed frame has a name ({unnamed} lack one)")
    check.that(percent >= 90, f"stacks are complete ({percent:.2f} %)")
    check.that(callers and refused == callers, f"a lost caller is seen ({refused} of {callers})")


def main():
    need_bpf()
    if not os.access(PROGRAM, os.X_OK):
        skip(f"needs {VERSION}-nesting of ci/dotnet")
    check = Checks()
    environment = dict(os.environ, DOTNET_EnableDiagnostics="0")
    with folder() as tmp, running([PROGRAM], wait_for=b"ready", env=environment) as target:
        time.sleep(WARM_S)
        done, profile = record("-p", target.pid, "-d", SECONDS + 2, out=os.path.join(tmp, "p.ndjson"),
                               hz=HZ)
        check.that(done.returncode == 0 and profile, f"it is recorded ({done.stderr})")
        if profile:
            runtimes = [x.get("runtime") for x in profile.lines if x["type"] == "process"]
            check.that(f".NET {VERSION}" in runtimes, f"the runtime is known ({runtimes})")
            judge(check, profile)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
