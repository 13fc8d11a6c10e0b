#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""cpu_prof.py MAJOR [SECONDS]: compares the shares of functions with those in V8's own profiler.

Both profilers record the same process (node --cpu-prof). A sample counts for the innermost function
of the program's own file; time in builtins and in Node.js's own functions therefore counts for the
callers of these. Samples of garbage collections, which V8's profiler records separately, and
samples outside the program are left out of both. Inlining is off, because V8's profiler attributes
the time of inlined functions to their callers. Samples are counted, not the time between samples,
in which a busy machine also runs other processes. The samples of several runs are added up until
both profilers have enough. None of the ten largest shares may differ by more than 3 percentage
points plus twice the standard error. The check must fail if V8's shares are assigned to other
functions.
"""

import collections
import json
import math
import os
import re
import sys

import results
from lib import TOP, Checks, folder, need_bpf, node, record, version_of

WORKLOAD = os.path.join(TOP, "fixtures/node/workload.js")
MOST_POINTS = 3.0
ENOUGH = 5000  # samples of each
MOST_RUNS = 8
COLLECTION = re.compile(r"v8::internal::Heap::(CollectGarbage|Scavenge|PerformGarbage)|"
                        r"v8::internal::(Scavenger|MarkCompact|MinorMarkSweep)")


def ours(profile):
    counts = collections.Counter()
    for count, _, frames, _ in profile.samples():
        own = next((f for f in frames if f.get("file") == WORKLOAD), None)
        if own and not any(COLLECTION.match(f.get("name") or "") for f in frames):
            counts[own.get("name", "?")] += count
    return counts


def theirs(path):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    nodes = {n["id"]: n for n in profile["nodes"]}
    parents = {child: n["id"] for n in nodes.values() for child in n.get("children", ())}
    counts = collections.Counter()
    for at in profile["samples"]:
        if nodes[at]["callFrame"]["functionName"] == "(garbage collector)":
            continue
        while at is not None and nodes[at]["callFrame"]["url"] != "file://" + WORKLOAD:
            at = parents.get(at)
        if at is not None:
            counts[nodes[at]["callFrame"]["functionName"] or "(anonymous)"] += 1
    return counts


def differences(a, b):
    """Yields (name, share in a, share in b, standard error of the difference), in %, for the ten
    functions with the largest shares."""
    n, m = a.total(), b.total()
    top = sorted(a.keys() | b.keys(), key=lambda name: -max(a[name] / n, b[name] / m))[:10]
    for name in top:
        p, q, both = a[name] / n, b[name] / m, (a[name] + b[name]) / (n + m)
        error = math.sqrt(both * (1 - both) * (1 / n + 1 / m))
        yield name, 100 * p, 100 * q, 100 * error


def is_near(rows):
    return all(abs(a - b) <= MOST_POINTS + 2 * error for _, a, b, error in rows)


def no_inlining(version):
    """Returns the flags that turn off inlining. (A limit on the total inlined size is not enough:
    V8 inlines small functions regardless.)"""
    maglev = ["--no-maglev-inlining"] if int(version.split(".")[0]) >= 20 else []
    return ["--no-turbo-inlining", "--no-turbo-inline-array-builtins", *maglev]


def one_run(check, version, seconds):
    with folder() as tmp:
        argv = [node(version), *no_inlining(version), "--cpu-prof", "--cpu-prof-dir", tmp,
                WORKLOAD, seconds]
        done, profile = record("--", *argv, out=os.path.join(tmp, "p.ndjson"), timeout=120)
        found = [name for name in os.listdir(tmp) if name.endswith(".cpuprofile")]
        if not check.that(profile and found,
                          f"Unspool and V8 both wrote a profile: {done.stderr.strip()}",
                          quiet=True):
            return None
        inlined = profile.count(lambda _stack, frames, _line: any(
            f.get("inlined") and f.get("file") == WORKLOAD for f in frames))
        check.equal(inlined, 0, f"{version}: no function of the program is inlined", quiet=True)
        return ours(profile), theirs(os.path.join(tmp, found[0]))


def main():
    need_bpf()
    version = version_of(sys.argv[1])
    seconds = sys.argv[2] if len(sys.argv) > 2 else "8"
    check = Checks()
    a, b = collections.Counter(), collections.Counter()
    for _ in range(MOST_RUNS):
        run = one_run(check, version, seconds)
        if not run:
            return check.end()
        a += run[0]
        b += run[1]
        if min(a.total(), b.total()) >= ENOUGH:
            break
    print(f"{version}: Unspool has {a.total()} samples, V8's profiler {b.total()}")
    if not check.that(min(a.total(), b.total()) >= ENOUGH,
                      f"{version}: each profiler has at least {ENOUGH} samples"):
        return check.end()
    rows = list(differences(a, b))
    for name, p, q, error in rows:
        print(f"  {name:30} {p:6.2f} {q:6.2f} {p - q:+6.2f} +- {error:.2f}")
        results.add(version=version, function=name, share=round(p, 2), of_v8=round(q, 2), error=round(error, 2))
    check.that(is_near(rows),
               f"{version}: for each of the ten functions with the largest shares, V8's share "
               "differs by at most 3 points and two standard errors")
    turned = [(name, p, rows[i - 1][2], e) for i, (name, p, _, e) in enumerate(rows)]
    check.that(not is_near(turned),
               f"{version}: the check fails if V8's shares are assigned to other functions")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
