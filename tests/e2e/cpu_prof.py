#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""cpu_prof.py MAJOR [SECONDS]: shares of functions, by Unspool and by V8's own profiler at once.

One process runs under both (node --cpu-prof). A sample counts for the innermost function of
the program's own file; builtins and Node.js itself count for who called them. Samples of
garbage collections, which V8's profiler keeps apart, are left out of both, and so is what
happens without the program. Of the ten largest no share differs by more than 3 percentage
points, and the same shares shuffled do not pass.
"""

import collections
import json
import os
import re
import sys

from lib import TOP, Checks, folder, need_bpf, node, record, version_of

WORKLOAD = os.path.join(TOP, "fixtures/node/workload.js")
MOST_POINTS = 3.0
COLLECTION = re.compile(r"v8::internal::Heap::(CollectGarbage|Scavenge|PerformGarbage)|"
                        r"v8::internal::(Scavenger|MarkCompact|MinorMarkSweep)")


def shares(counts):
    total = counts.total()
    return {name: 100 * n / total for name, n in counts.items()} if total else {}


def ours(profile):
    counts = collections.Counter()
    for count, _, frames, _ in profile.samples():
        own = next((f for f in frames if f.get("file") == WORKLOAD), None)
        if own and not any(COLLECTION.match(f.get("name") or "") for f in frames):
            counts[own.get("name", "?")] += count
    return shares(counts)


def theirs(path):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    nodes = {n["id"]: n for n in profile["nodes"]}
    parents = {child: n["id"] for n in nodes.values() for child in n.get("children", ())}
    counts = collections.Counter()
    for sample, delta in zip(profile["samples"], profile["timeDeltas"]):
        at = sample
        if nodes[at]["callFrame"]["functionName"] == "(garbage collector)":
            continue
        while at is not None and nodes[at]["callFrame"]["url"] != "file://" + WORKLOAD:
            at = parents.get(at)
        if at is not None:
            counts[nodes[at]["callFrame"]["functionName"] or "(anonymous)"] += max(0, delta)
    return shares(counts)


def differences(a, b):
    top = sorted(a.keys() | b.keys(), key=lambda name: -max(a.get(name, 0), b.get(name, 0)))[:10]
    return [(name, a.get(name, 0), b.get(name, 0)) for name in top]


def is_near(rows):
    return bool(rows) and all(abs(a - b) <= MOST_POINTS for _, a, b in rows)


def main():
    need_bpf()
    version = version_of(sys.argv[1])
    seconds = sys.argv[2] if len(sys.argv) > 2 else "8"
    check = Checks()
    with folder() as tmp:
        argv = [node(version), "--cpu-prof", "--cpu-prof-dir", tmp, WORKLOAD, seconds]
        done, profile = record("--", *argv, out=os.path.join(tmp, "p.ndjson"), timeout=120)
        found = [name for name in os.listdir(tmp) if name.endswith(".cpuprofile")]
        if not check.that(profile and found, f"both profiles are there: {done.stderr.strip()}",
                          quiet=True):
            return check.end()
        rows = differences(ours(profile), theirs(os.path.join(tmp, found[0])))
    for name, a, b in rows:
        print(f"  {name:30} {a:6.2f} {b:6.2f} {a - b:+6.2f}")
    check.that(is_near(rows), f"{version}: the ten largest shares are V8's own, within 3 points")
    turned = [(name, a, rows[i - 1][2]) for i, (name, a, _) in enumerate(rows)]
    check.that(not is_near(turned), f"{version}: shares of other functions are not")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
