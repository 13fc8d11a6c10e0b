# SPDX-License-Identifier: BSD-2-Clause
"""Computes how many samples may be wrong, and how many samples a verdict needs.

A goal is a share, and a share of few samples scatters: one wrong sample of 700 is 0.14 %. With
these bounds a program that just reaches its goal fails in 1 of 10,000 runs. A program with BAD
times as many misses as the goal allows fails in 99 of 100 runs, if are_enough() accepts the number
of samples.
"""

import functools
import math

UNLUCKY = 1e-4
OVERLOOKED = 0.01
BAD = 10


def _at_most(k, n, p):
    """Returns the probability of at most @k misses in @n samples if each sample misses with
    probability @p."""
    total, log_p, log_q = 0.0, math.log(p), math.log1p(-p)
    for i in range(min(k, n) + 1):
        total += math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) +
                          i * log_p + (n - i) * log_q)
    return min(1.0, total)


@functools.lru_cache(maxsize=None)
def most_misses(n, goal):
    """Returns how many of @n samples may be wrong if @goal % must be right."""
    p, k = 1 - goal / 100, 0
    while _at_most(k, n, p) < 1 - UNLUCKY:
        k += 1
    return k


def are_enough(n, goal, bad=BAD):
    """Returns whether @n samples suffice to detect @bad times as many misses as allowed."""
    return n > 0 and _at_most(most_misses(n, goal), n, bad * (1 - goal / 100)) <= OVERLOOKED


def reaches(right, n, goal):
    """Returns whether @right right samples of @n are enough for a goal of @goal %."""
    return n - right <= most_misses(n, goal)
