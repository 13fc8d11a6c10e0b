#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests the judge of native stacks: it must accept stacks that match perf's, and refuse others."""

import collections
import sys

from chains import Chains, Verdict, chain_of, is_complete, perf_stacks
from lib import Checks

A, B, C, D = (tuple(("file", name) for name in names) for names in ("abc", "bc", "xbc", "xc"))

PRINTED = """
   12
            1467 leaf (/bin/a)
            1490 void f<g (int)>() (/lib/b (deleted))
           27304 __libc_start_main@@GLIBC_2.34 (/lib/libc.so.6)
            12f0 [unknown] (/bin/a)

   13
ffffffff810000 do_syscall_64 ([kernel.kallsyms])
            1467 leaf (/bin/a)
ffffffffffffffff [unknown] ([unknown])

"""


def chains(counts, samples=None, complete=None):
    made = Chains()
    made.counts = collections.Counter(counts)
    made.all = made.counts.total()
    made.samples = samples or made.counts.total()
    made.complete = complete or made.counts.total()
    return made


def named(names):
    return tuple(("file", name) for name in names)


def check_rare(check):
    """Wrong chains must be found even if perf recorded many chains only once."""
    once = {named(("leaf", "inner", f"outer{i}")): 1 for i in range(2400)}
    theirs = chains({A: 7600} | once)
    ours = {A: 7600} | {named(("leaf", "inner", f"other{i}")): 1 for i in range(2400)}
    v = Verdict(chains(ours), theirs)
    check.that(v.is_seen and v.depth == 2,
               "the judge compares shorter chains if 24 % of the samples have unique chains")
    check.that(not v.is_linked,
               "the judge finds a wrong caller in call chains that perf recorded only once")
    v = Verdict(chains({A: 100}), chains({named(str(i)): 1 for i in range(100)}))
    check.that(not v.is_seen and not v.is_linked,
               "the judge accepts no chain if perf recorded each chain only once")


def check_links(check, theirs):
    """The judge must find wrong links in 100 of 10,000 stacks."""
    for names, fault in (("ac", "a caller is lost"), ("abxc", "a caller is invented"),
                         ("acb", "callers are swapped"), ("ybc", "another function is the leaf")):
        v = Verdict(chains({A: 5900, B: 3700, C: 300, named(names): 100}), theirs)
        check.that(not v.is_linked and not v.good,
                   f"the judge refuses a recording if in 1 % of the stacks {fault}")


def main():
    check = Checks()
    theirs = chains({A: 6000, B: 3700, C: 300})

    v = Verdict(chains({A: 6100, B: 3600, C: 300}), theirs)
    check.that(v.good, "the judge accepts a recording if the stacks match perf's stacks")
    v = Verdict(chains({A: 6000, B: 3700, D: 300}), theirs)
    check.that(not v.is_seen and v.is_near,
               "the judge refuses a recording if perf never recorded the call chains of 3 % of "
               "the stacks")
    v = Verdict(chains({A: 6000, B: 3990, D: 10}), theirs)
    check.that(v.is_seen and v.is_linked,
               "the judge accepts a recording if perf never recorded the chain of one stack in a "
               "thousand")
    v = Verdict(chains({A: 5200, B: 4500, C: 300}), theirs)
    check.that(v.is_seen and not v.is_near,
               "the judge refuses a chain's share that differs from perf's share by 8 points")
    v = Verdict(chains({A: 6000, B: 3700, C: 300}, 10000, 9900), theirs)
    check.that(not v.is_complete and v.is_seen,
               "the judge refuses a recording with 99.0 % complete stacks")
    v = Verdict(chains({A: 6000, B: 3700, C: 300}, 10000, 9960), theirs)
    check.that(v.is_complete, "the judge accepts a recording with 99.6 % complete stacks")
    check.that(not Verdict(chains({}), theirs).good, "the judge refuses an empty recording")
    v = Verdict(chains({A: 6000, B: 3700, D: 300}), theirs, lambda chain: chain == D)
    check.that(v.is_seen, "the judge does not compare stacks that perf can't unwind")
    check_rare(check)
    check_links(check, theirs)

    stacks = list(perf_stacks(PRINTED))
    check.equal([pid for pid, _ in stacks], [12, 13],
                "the reader of perf's output reads the pid of each stack")
    check.equal(stacks[0][1][1], ("/lib/b", 0x1490, "void f<g (int)>()"),
                "a function's name may contain blanks")
    check.equal([is_complete(frames) for _, frames in stacks], [True, False],
                "a stack is complete if its last frame is the program's entry")
    check.equal(len(stacks[1][1]), 2, "the reader removes kernel frames from perf's stacks")
    check.equal(chain_of("aabbbcdefg"), tuple("abcde"),
                "the judge counts direct recursion as one frame of a chain")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
