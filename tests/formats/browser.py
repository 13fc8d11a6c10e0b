#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""browser.py BIG_PROFILE: opens each format that speedscope reads with speedscope's own page in
Chromium, and compares what the page exports with `unspool report --json`. In the formats in which
speedscope takes the time between two samples, the last sample of a thread has no time, so a
function may lack one sample of each thread. A profile with one sample less must differ."""

import collections
import json
import os
import sys

import readers
from lib import Checks, folder, node, skip, unspool, version_of

N_THREADS = 3
PERIOD_NS = 1000000000 // 99
# The format, the unit of speedscope's weights as a number of samples, and whether the last sample of
# a thread may be missing. A .cpuprofile has one thread.
FORMATS = {
    "speedscope": (PERIOD_NS, False),
    "pprof": (PERIOD_NS, False),
    "folded": (1, False),
    "perf-script": (1 / 99, True),
    "cpuprofile": (PERIOD_NS // 1000, True),
}
SUFFIXES = {**readers.SUFFIXES, "folded": "folded"}


def exported(paths, tmp):
    """Returns the profiles that speedscope exports."""
    page = readers.package("speedscope/dist/release/index.html")
    done = readers.run(node(version_of("24")), os.path.join(readers.HERE, "speedscope.mjs"), page, tmp,
                       *paths)
    return [json.loads(line) for line in done.splitlines()]


def samples_of(profile, unit):
    """Returns the samples by innermost function, as fractions where speedscope has times."""
    counts = collections.Counter()
    weights = readers.speedscope_file(profile["profiles"], profile["shared"]["frames"])
    for name, weight in weights.items():
        counts[name.split(" ")[0]] += weight / unit
    counts.pop("(idle)", None)
    return counts


def differs(read, want, may_lack):
    """Return: whether the functions have other samples than in the report; @may_lack: the number of
    samples that may be missing in all."""
    return sum((want - read).values()) > may_lack + 0.1 or sum((read - want).values()) > 0.1


def main():
    check = Checks()
    readers.need_viewers()
    if not os.access(os.path.join(os.environ.get("UNSPOOL_BROWSERS_DIR", ""), "made-of"), os.R_OK):
        skip("this test needs the packages of ci/browsers in UNSPOOL_BROWSERS_DIR")
    with folder() as tmp:
        profile, one = os.path.join(tmp, "p.ndjson"), os.path.join(tmp, "one.ndjson")
        for path, threads in (profile, N_THREADS), (one, 1):
            with open(path, "w", encoding="utf-8") as file:
                file.write(readers.run(sys.argv[1], "1200", "80", str(threads)))
        paths = []
        for name in FORMATS:
            paths.append(os.path.join(tmp, f"x.{SUFFIXES[name]}"))
            unspool("convert", one if name == "cpuprofile" else profile, paths[-1])
        for (name, (unit, is_last_missing)), read in zip(FORMATS.items(), exported(paths, tmp), strict=True):
            source = one if name == "cpuprofile" else profile
            want = readers.reported(source).self
            may_lack = is_last_missing * (1 if name == "cpuprofile" else N_THREADS)
            counts = samples_of(read, unit)
            check.that(not differs(counts, want, may_lack), f"{name}: speedscope shows the samples of the report")
            more = want + collections.Counter({max(want): may_lack + 1})
            check.that(differs(counts, more, may_lack), f"{name}: a missing sample is noticed")
            check.equal(len(read["profiles"]), N_THREADS if name in ("speedscope", "perf-script") else 1,
                        f"{name}: speedscope shows the threads")
    return check.end()


sys.exit(main())
