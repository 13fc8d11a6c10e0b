# SPDX-License-Identifier: BSD-2-Clause
"""How many samples may be wrong, and how many samples a verdict needs.

A goal is a share, and small numbers of samples scatter: one wrong sample of 700 is 0.14 %. A
program that just reaches its goal fails here in 1 of 10,000 runs. A program with BAD times the
misses of the goal fails in 99 of 100 runs, if there are `enough` samples.
"""

import functools
import math

UNLUCKY = 1e-4
OVERLOOKED = 0.01
BAD = 10


def _at_most(k, n, p):
    """The probability of at most @k misses in @n samples, each with probability @p."""
    total, log_p, log_q = 0.0, math.log(p), math.log1p(-p)
    for i in range(min(k, n) + 1):
        total += math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) +
                          i * log_p + (n - i) * log_q)
    return min(1.0, total)


@functools.lru_cache(maxsize=None)
def most_misses(n, goal):
    """The most misses that @n samples may have if @goal % must be right."""
    p, k = 1 - goal / 100, 0
    while _at_most(k, n, p) < 1 - UNLUCKY:
        k += 1
    return k


def are_enough(n, goal, bad=BAD):
    """Do @n samples suffice to detect @bad times the allowed misses?"""
    return n > 0 and _at_most(most_misses(n, goal), n, bad * (1 - goal / 100)) <= OVERLOOKED


def reaches(right, n, goal):
    """Are @right right samples of @n compatible with a goal of @goal %?"""
    return n - right <= most_misses(n, goal)
