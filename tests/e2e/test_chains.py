#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests the judge of native stacks: it accepts stacks that match perf's, and no others."""

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
    """Chains that perf recorded once do not hide wrong chains."""
    once = {named(("leaf", "inner", f"outer{i}")): 1 for i in range(2400)}
    theirs = chains({A: 7600} | once)
    ours = {A: 7600} | {named(("leaf", "inner", f"other{i}")): 1 for i in range(2400)}
    v = Verdict(chains(ours), theirs)
    check.that(v.is_seen and v.depth == 2, "24 % of chains that all differ are compared when shorter")
    check.that(not v.is_linked, "and their links are wrong")
    v = Verdict(chains({A: 100}), chains({named(str(i)): 1 for i in range(100)}))
    check.that(not v.is_seen and not v.is_linked, "a perf that saw each chain once knows nothing")


def check_links(check, theirs):
    """A chain with a wrong link is found if 100 of 10,000 stacks are wrong."""
    for names, fault in (("ac", "a caller is lost"), ("abxc", "a caller is invented"),
                         ("acb", "callers are swapped"), ("ybc", "a leaf is another function")):
        v = Verdict(chains({A: 5900, B: 3700, C: 300, named(names): 100}), theirs)
        check.that(not v.is_linked and not v.good, f"1 % where {fault} is detected")


def main():
    check = Checks()
    theirs = chains({A: 6000, B: 3700, C: 300})

    v = Verdict(chains({A: 6100, B: 3600, C: 300}), theirs)
    check.that(v.good, "stacks that match perf's pass")
    v = Verdict(chains({A: 6000, B: 3700, D: 300}), theirs)
    check.that(not v.is_seen and v.is_near, "3 % of stacks that perf never recorded are too many")
    v = Verdict(chains({A: 6000, B: 3990, D: 10}), theirs)
    check.that(v.is_seen and v.is_linked, "1 in a thousand passes")
    v = Verdict(chains({A: 5200, B: 4500, C: 300}), theirs)
    check.that(v.is_seen and not v.is_near, "a share that is 8 points off fails")
    v = Verdict(chains({A: 6000, B: 3700, C: 300}, 10000, 9900), theirs)
    check.that(not v.is_complete and v.is_seen, "99.0 % are not complete enough")
    v = Verdict(chains({A: 6000, B: 3700, C: 300}, 10000, 9960), theirs)
    check.that(v.is_complete, "99.6 % are")
    check.that(not Verdict(chains({}), theirs).good, "an empty recording fails")
    v = Verdict(chains({A: 6000, B: 3700, D: 300}), theirs, lambda chain: chain == D)
    check.that(v.is_seen, "stacks that perf can't unwind are left out")
    check_rare(check)
    check_links(check, theirs)

    stacks = list(perf_stacks(PRINTED))
    check.equal([pid for pid, _ in stacks], [12, 13], "each stack has its process")
    check.equal(stacks[0][1][1], ("/lib/b", 0x1490, "void f<g (int)>()"), "names may hold blanks")
    check.equal([is_complete(frames) for _, frames in stacks], [True, False],
                "a stack is complete when it ends in the program's entry")
    check.equal(len(stacks[1][1]), 2, "kernel frames are left out")
    check.equal(chain_of("aabbbcdefg"), tuple("abcde"), "recursion counts once")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
