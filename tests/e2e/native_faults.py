#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests the judges of native stacks with recordings in which 1 sample of 100 was made wrong.

Two programs are recorded as in native.py. The judges must accept the unchanged recordings. With
each planted fault (tests/judges/plant_native.py) the C program must no longer match its source, and
gzip, which has few callers, must no longer match perf. The programs run one at a time, for many
samples and narrow limits.
"""

import os
import sys

import native
from chains import Chains, Files, our_chains, perf_chains
from lib import TOP, Checks, folder, need_bpf
from native import (C_PROGRAM, ENDS, SETTLED_US, is_nested, judge, nesting, one_recording,
                    perf_recording, perf_script, programs, started)

sys.path.append(os.path.join(TOP, "tests/judges"))
from parallel import each  # pylint: disable=wrong-import-position
from plant_native import FAULTS, Planted  # pylint: disable=wrong-import-position

SECONDS = 12
native.HZ = 997  # higher than in native.py, as one program runs at a time
LEAF = "the leaf is replaced by another function"  # the source does not determine the leaf


def recorded(tmp, name):
    """Records a program; returns the profile, the program's pid, perf's chains and the files."""
    path = os.path.join(tmp, "perf.data")
    files = Files()
    with started(tmp, [p for p in programs(tmp, None) if p[0] == name]) as pids:
        with perf_recording(pids.values(), SECONDS, path, hz=native.HZ):
            profile = one_recording(tmp, pids, SECONDS)
    theirs = perf_chains(perf_script(path), files)
    return profile, pids[name], theirs.get(pids[name], Chains()), files


def check_perf(check, tmp, name):
    profile, pid, theirs, files = recorded(tmp, name)

    def verdict(what, source):
        return judge(what, our_chains(source, files, SETTLED_US, ENDS).get(pid, Chains()), theirs)

    v = verdict(name, profile)
    check.that(v.is_seen and v.is_linked and v.is_near,
               f"{name}: the judge accepts the unchanged recording")

    def planted_and_judged(fault):
        v = verdict("", planted := Planted(profile, FAULTS[fault]))
        return planted.n_planted, v.is_seen and v.is_linked

    for fault, (n, is_good) in each(planted_and_judged, FAULTS):
        check.that(not is_good, f"{name}: the judge refuses the fault `{fault}` in {n} samples")


def check_source(check, tmp):
    profile, pid, _, _ = recorded(tmp, "C")

    def figures(source):
        known, exact, _ = nesting(source, pid, C_PROGRAM)
        return known, exact

    check.that(is_nested(*figures(profile)),
               "C: the judge accepts the unchanged recording: numbers of known and exact stacks: "
               f"{figures(profile)}")

    def planted_and_judged(fault):
        planted = Planted(profile, FAULTS[fault])
        return figures(planted), planted.n_planted

    for fault, ((known, exact), n) in each(planted_and_judged, [f for f in FAULTS if f != LEAF]):
        check.that(not is_nested(known, exact), f"C: the judge refuses the fault `{fault}` in {n} "
                   f"samples: {exact} of {known} are exact")


def main():
    need_bpf()
    check = Checks()
    with folder() as tmp:
        check_source(check, tmp)
        check_perf(check, tmp, "gzip")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
