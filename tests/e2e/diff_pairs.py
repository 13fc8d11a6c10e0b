#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""diff_pairs.py MAJOR [PAIRS]: judges `unspool diff` by recordings of Node.js MAJOR.

  equal   20 pairs of recordings of the same program, fixtures/node/workload.js, which collects
          garbage, compiles and sorts: diff must report no difference in all but one
  risen   20 pairs of fixtures/node/shares.js with 3,000 samples each; in the second recording, the
          share of first() is 15 % instead of 10 %: diff must name first() in all but two

At most 1 % of equal pairs may be false alarms, and at most 5 % of the rises may be missed, so with
right statistics two false alarms or three missed rises are improbable (2 % and 8 %). The figures
also have the false alarms with --per seconds, which are not judged: on a busy machine, the CPU time
of a process per second really differs from recording to recording.
"""

import concurrent.futures
import json
import os
import sys

import results
from lib import TOP, Checks, folder, need_bpf, node, record, unspool, version_of

HZ = 299
WORKLOAD_SECONDS = 30
SHARES_SECONDS = 10  # of CPU time, in at least 30 s
PROGRAMS = os.path.join(TOP, "fixtures/node")
RISEN_PARTS = 90 * .15 / .85  # of 90 + these: 15 %


def recording(place, name, *command):
    path = os.path.join(place, name)
    done, _ = record("--", *command, out=path, hz=HZ, timeout=300)
    assert done.returncode == 0, done.stderr
    return path


def diff(*args):
    """Returns the functions that changed, and the result."""
    result = json.loads(unspool("diff", "-f", "json", *args).stdout)
    return [f for f in result["functions"]
            if any(f[column].get("beyond_noise") for column in ("self", "total"))], result


def equal(place, binary):
    """Returns whether the two recordings of a pair differ, by share and by time."""
    command = binary, f"{PROGRAMS}/workload.js", WORKLOAD_SECONDS
    pair = [recording(place, name, *command) for name in ("a.ndjson", "b.ndjson")]
    changed, result = diff(*pair)
    for f in changed:
        print(f"  false alarm: {f['name']} {f['self']} {f['total']}", flush=True)
    return bool(changed), bool(diff("--per", "seconds", *pair)[0]), [result[side]["samples"] for side in ("before", "after")]


def risen(place, binary):
    """Returns whether the rise of a pair is named, and the shares of first()."""
    pair = [recording(place, name, binary, f"{PROGRAMS}/shares.js", SHARES_SECONDS, parts)
            for name, parts in (("a.ndjson", 10), ("b.ndjson", RISEN_PARTS))]
    changed, result = diff(*pair)
    first = next(f for f in result["functions"] if f["name"] == "first")["self"]
    return any(f["name"] == "first" and f["self"].get("beyond_noise") for f in changed), \
        round(first["before"], 1), round(first["after"], 1), \
        [result[side]["samples"] for side in ("before", "after")]


def of_pairs(n, judge, place, binary):
    """Judges @n pairs, two for each CPU at a time; returns the results."""
    def one(i):
        here = os.path.join(place, f"{judge.__name__}{i}")
        os.mkdir(here)
        return judge(here, binary)

    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        return list(pool.map(one, range(n)))


def main(major, n="20"):
    need_bpf()
    binary, n, check = node(version_of(major)), int(n), Checks()
    with folder() as place:
        pairs = of_pairs(n, equal, place, binary)
        alarms = sum(changed for changed, *_ in pairs)
        results.add(key=f"equal {major}", pairs=n, no_difference=n - alarms,
                    no_difference_per_second=n - sum(by_time for _, by_time, _ in pairs),
                    samples=[samples for *_, samples in pairs])
        check.that(alarms <= n // 20, f"no difference in {n - alarms} of {n} pairs of the same program")
        pairs = of_pairs(n, risen, place, binary)
        named = sum(is_named for is_named, *_ in pairs)
        results.add(key=f"risen {major}", pairs=n, named=named, shares=[p[1:3] for p in pairs],
                    samples=[samples for *_, samples in pairs])
        check.that(named >= n - n // 10, f"a rise by 5 points is named in {named} of {n} pairs")
    return check.end()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
