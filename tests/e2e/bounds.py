# SPDX-License-Identifier: BSD-2-Clause
"""How many samples may be wrong, and how many it takes to know.

A share is a goal, not a law: of 700 samples one that is wrong is 0.14 %. A program that just
reaches its goal passes here but for 1 run of 10,000, and one with BAD times the goal's misses
fails in 99 of 100 runs, if there are `enough` samples.
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
    """The misses that @n samples may have where @goal % are right."""
    p, k = 1 - goal / 100, 0
    while _at_most(k, n, p) < 1 - UNLUCKY:
        k += 1
    return k


def are_enough(n, goal, bad=BAD):
    """Do @n samples show that @bad times as many are wrong as may be?"""
    return n > 0 and _at_most(most_misses(n, goal), n, bad * (1 - goal / 100)) <= OVERLOOKED


def reaches(right, n, goal):
    """Is it no worse than @goal %, as far as @n samples of which @right are right can show?"""
    return n - right <= most_misses(n, goal)
