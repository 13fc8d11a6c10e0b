# SPDX-License-Identifier: BSD-2-Clause
"""guest.py VERSION|dotnet FOLDER: judges the recordings and cases that ci/arm64 made on a real
arm64 kernel.

All stacks in FOLDER/profile.ndjson are judged by the program's nesting, as on x86-64
(known_nesting.py, dotnet.py). Completeness is judged from SETTLED_US after the first sample on. By
then the unwind rows are loaded, which takes two seconds on real hardware. The completeness of all
samples is printed, too. For .NET all samples are judged, because the program starts before the
recording.

The cases FOLDER/case*.core.zst are replayed on this machine, with the native engine and with the
guest engine, in which an emulated CPU executes the unwinder. Both must reproduce the result of the
arm64 kernel and refuse a case that was changed.
"""

import collections
import glob
import itertools
import json
import os
import re
import subprocess
import sys

from dotnet_nesting import Grammar, Tally, samples_of
from lib import TOP, Checks, Profile, folder
from nesting import Judge
from tally import Figures, percent
from tally import Tally as NodeTally

KNOWN = os.path.join(TOP, "fixtures/node/known")
MIN_LEAVES = 100
SIM = os.environ.get("UNSPOOL_SIM", "unspool-sim")
COMPLETE = 95  # percent
SETTLED_US = 40000000


def judge_node(check, version, profile):
    pids = collections.Counter()
    for count, _, _, line in profile.samples():
        pids[line["pid"]] += count
    found = NodeTally([Judge(KNOWN)], profile, pids.most_common(1)[0][0])
    print(f"{version} arm64: {Figures([found])}")
    for miss, count in found.misses.most_common(12):
        print(f"    {count} {miss}")
    check.that(found.n >= MIN_LEAVES,
               f"{version}: at least {MIN_LEAVES} samples are in the programs: {found.n}")
    check.that(percent(found.names, found.n) >= 99,
               f"{version}: at least 99 % of the stacks have exact names")


def judge_dotnet(check, profile):
    tally, judge = Tally(), Grammar()
    for sample in samples_of(profile, 0):
        tally.add(judge, *sample)
    for what, count in sorted(tally.misses.items(), key=lambda x: -x[1])[:12]:
        print(f"    {count} {what}")
    few = max(1, tally.n // 100)
    check.that(tally.n >= MIN_LEAVES,
               f"dotnet: at least {MIN_LEAVES} samples are in the programs: {tally.n}")
    wrong = tally.judged - tally.names
    check.that(wrong <= few, f"dotnet: frames nest as in the source in all stacks but {wrong}")
    check.that(tally.unnamed <= few, f"dotnet: all methods but {tally.unnamed} have names")
    check.that(tally.names - tally.lines <= few,
               f"dotnet: each frame's line is in the frame's method in {tally.lines} of "
               f"{tally.names} stacks")


def judge_complete(check, program, profile, settled_us):
    s = profile.summary
    print(f"{program}: {s['samples']} samples, of which "
          f"{percent(s['complete'], s['samples']):.2f} % "
          f"are complete, {s['truncated']} truncated, {s['failed']} failed")
    settled = min(line["t"][0] for line in profile.of("samples")) + settled_us
    n = good = 0
    for _, stack, _, line in profile.samples():
        count = sum(t >= settled for t in itertools.accumulate(line["t"]))
        n += count
        good += count * (stack["status"] == "complete")
    check.that(n >= MIN_LEAVES and percent(good, n) >= COMPLETE,
               f"{program}: at least {COMPLETE} % of the stacks are complete after unwind rows "
               "are loaded: "
               f"{percent(good, n):.2f} % of {n}")


def run(engine, cases, out):
    """Returns (exit status, number of cases that replay as in the kernel)."""
    done = subprocess.run([SIM, "run", "--arch", "arm64", "--engine", engine, "--json", out, *cases],
                          capture_output=True, text=True, timeout=120, check=False)
    with open(out, encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    return done.returncode, sum(r.get("equal", False) for r in runs if r.get("engine") == engine)


def doctored(case, out):
    """Writes a copy of a case, changed as if the kernel had found another caller."""
    data = subprocess.run(["zstd", "-dcq", case], capture_output=True, check=True).stdout
    walk = data.index(b'"walk"')
    pcs = [m.end() for m in re.finditer(rb'"pc": ?"0x[0-9a-f]+', data[walk:])]
    digit = walk + pcs[1] - 1
    with open(out, "wb") as file:
        file.write(data[:digit] + (b"1" if data[digit:digit + 1] != b"1" else b"2") + data[digit + 1:])


def replay(check, program, cases):
    if not check.that(len(cases) >= 5, f"{program}: at least 5 cases were captured: {len(cases)}"):
        return
    with folder() as tmp:
        out, other = os.path.join(tmp, "json"), os.path.join(tmp, "other.core")
        doctored(cases[0], other)
        for engine in ("native", "guest"):
            check.equal(run(engine, cases, out), (0, len(cases)),
                        f"{program}: {engine}: all {len(cases)} cases replay in the simulator as "
                        "in the arm64 kernel")
            check.equal(run(engine, [other], out), (1, 0),
                        f"{program}: {engine}: a case with a changed caller does not replay as in "
                        "the kernel")


def main():
    program, home = sys.argv[1:]
    path = os.path.join(home, "profile.ndjson")
    check = Checks()
    if check.that(os.path.exists(path), f"{program}: the guest wrote a profile", quiet=True):
        profile = Profile(path)
        if program == "dotnet":
            judge_dotnet(check, profile)
        else:
            judge_node(check, program, profile)
        judge_complete(check, program, profile, 0 if program == "dotnet" else SETTLED_US)
    if program != "dotnet":
        replay(check, program, sorted(glob.glob(os.path.join(home, "case*.core.zst"))))
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
