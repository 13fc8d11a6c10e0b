#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""diff_draws.py [PAIRS]: judges the statistics of `unspool diff` with profiles drawn at
random from known shares (default: 100 pairs of each kind, with fixed seeds).

The drawn program has 60 functions with samples, called by 8 others. A profile has 3,000 samples in
30 s. They are independent of one another, or not: then each second has shares of its own, and the
counts of a second vary three times as much as those of independent samples.

  equal shares                              diff reports no difference in 99 of 100 pairs
  the share of a function rises by 5 points diff names this function in 95 of 100 pairs

With 20 -> 25 % the goal is 90 pairs, because noise grows with the share: no test with so few false
alarms finds more. Each judge must reject the pairs of the other kind, and samples that depend on
one another must cause false alarms if their times are missing.
"""

import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../e2e"))
from lib import Checks, folder, unspool  # noqa: E402 # pylint: disable=wrong-import-position

SECONDS, PER_SECOND = 30, 100
N_LEAVES, N_CALLERS = 60, 8
RISEN = "f0"
SPREAD = PER_SECOND / 2  # of a Dirichlet distribution: the dispersion is 1 + 99 / 51


def shares_of(first):
    """Returns the shares of the functions: the first has @first, the others fall by rank."""
    ranks = [1 / (rank + 2) for rank in range(N_LEAVES - 1)]
    return [first] + [(1 - first) * part / sum(ranks) for part in ranks]


def draw(source, shares, depend):
    """Returns for each function the times of its samples in microseconds."""
    times = [[] for _ in shares]
    for second in range(SECONDS):
        weights = [source.gammavariate(SPREAD * s, 1) for s in shares] if depend else shares
        for i, leaf in enumerate(source.choices(range(len(shares)), weights, k=PER_SECOND)):
            times[leaf].append(second * 1000000 + i * 1000000 // PER_SECOND)
    return times


def lines_of(times, has_times):
    yield {"type": "header", "schema": 1, "hz": PER_SECOND}
    for i in range(N_LEAVES + N_CALLERS):
        yield {"type": "frame", "id": i + 1, "kind": "js", "name": f"f{i}", "file": "/app.js", "start_line": i + 1}
    for leaf, at in enumerate(times):
        caller = N_LEAVES + leaf % N_CALLERS
        yield {"type": "stack", "id": leaf + 1, "frames": [leaf + 1, caller + 1], "status": "complete"}
        if at:
            deltas = [at[0]] + [after - before for before, after in zip(at, at[1:])]
            yield {"type": "samples", "pid": 1, "tid": 1, "stack": leaf + 1, "count": len(at),
                   **({"t": deltas} if has_times else {})}
    n = sum(map(len, times))
    yield {"type": "summary", "samples": n, "complete": n, "duration_ns": SECONDS * 10**9}


class Pairs:
    """Pairs of profiles with the same start and rise of the first function's share."""

    def __init__(self, start, rise, depend=False, has_times=True):
        self.before, self.after = shares_of(start), shares_of(start + rise)
        self.depend, self.has_times = depend, has_times
        self.words = f"{start:.0%} -> {start + rise:.0%}, samples {'dependent' if depend else 'independent'}" \
                     f"{'' if has_times else ', no times'}"

    def compare(self, place, seed):
        """Draws two profiles; returns whether diff reports a change, and whether it names the first
        function."""
        source = random.Random(f"{self.words} {seed}")
        paths = [os.path.join(place, name) for name in ("before", "after")]
        for path, shares in zip(paths, (self.before, self.after)):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in
                                lines_of(draw(source, shares, self.depend), self.has_times))
        result = json.loads(unspool("diff", "-f", "json", *paths).stdout)
        first = next(f for f in result["functions"] if f["name"] == RISEN)
        return bool(result["changed"]), first["self"].get("beyond_noise", False)

    def judge(self, place, n):
        """Returns the number of pairs without a difference, and of those that name the function."""
        results = [self.compare(place, seed) for seed in range(n)]
        unchanged, named = n - sum(r[0] for r in results), sum(r[1] for r in results)
        print(f"{self.words}: no difference in {unchanged} of {n} pairs, named in {named}", flush=True)
        return unchanged, named


def main(n="100"):
    n, check = int(n), Checks()
    with folder() as place:
        for depend in False, True:
            unchanged, named = Pairs(.10, 0, depend).judge(place, n)
            check.that(unchanged >= .99 * n, "equal shares are no difference in 99 of 100 pairs")
            check.that(named < .95 * n, "equal shares would be noticed as a missing rise")
        for start, goal in (.02, .95), (.10, .95), (.15, .95), (.20, .90):
            unchanged, named = Pairs(start, .05).judge(place, n)
            check.that(named >= goal * n, f"a rise by 5 points is named in {goal:.0%} of the pairs")
            check.that(unchanged < .99 * n, "a rise would be noticed as a false alarm")
        unchanged, _ = Pairs(.10, 0, True, False).judge(place, n)
        check.that(unchanged < .99 * n, "without times, dependent samples cause false alarms")
    return check.end()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
