#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""native_chains.py [SECONDS [PROGRAM...]]: how many of Unspool's native chains perf shows, and
how many of them it would show if both were perf.

Run by hand (ci/native-check): native.py's programs, one after the other, each recorded by Unspool
and by two `perf record --call-graph dwarf` at the same time. A recording never has all the chains
that another has, so how often Unspool's are in the first perf's says little. Three figures do:

  in perf   Unspool's samples whose chain the first perf has, in %
  perf too  the second perf's samples whose chain the first perf has: what chance leaves
  links     Unspool's samples of whose chain each pair (function, caller) is one of perf's, in %

for chains of native.py's depth (chains.py) and of fewer functions. Unspool is at fault where it is
in the first by more than a point less than perf is, or short of 99 % in the last.
"""

import os
import sys

import chains
from chains import Chains, Files, our_chains, perf_chains
from lib import Checks, folder, need_bpf
from native import (ENDS, HIDDEN, SETTLED_US, one_recording, perf_recording, perf_script, programs,
                    started)

DEPTHS = (2, 3, chains.DEPTH)


def cut(found, depth):
    """The chains with no more than the innermost @depth functions."""
    shorter = Chains()
    for chain, count in found.counts.items():
        shorter.counts[chain[:depth]] += count
    return shorter.counts


def share(counts, known):
    return 100 * sum(n for c, n in counts.items() if c in known) / max(1, counts.total())


def links(chain):
    return set(zip(chain, chain[1:]))


def unlinked(ours, *theirs):
    """Our chains that have a link that perf has nowhere, most frequent first."""
    known = {link for counts in theirs for chain in counts for link in links(chain)}
    return sorted(((n, chain, links(chain) - known) for chain, n in ours.items()
                   if links(chain) - known), key=lambda item: -item[0])


def compare(check, name, ours, first, second):
    hidden = HIDDEN.get(name, lambda chain: False)
    shown = Chains()
    shown.counts.update({c: n for c, n in ours.counts.items() if not hidden(c)})
    print(f"{name}: {shown.counts.total()} of ours, {first.counts.total()} and "
          f"{second.counts.total()} of perf's")
    for depth in DEPTHS:
        a, b = cut(first, depth), cut(second, depth)
        us, them = share(cut(shown, depth), a), share(b, a)
        print(f"  depth {depth}: in perf {us:6.2f}  perf too {them:6.2f}", flush=True)
        check.that(us >= min(99, them - 1), f"{name}: perf shows the same at depth {depth}", quiet=True)
    wrong = unlinked(shown.counts, first.counts, second.counts)
    linked = 100 * (1 - sum(n for n, *_ in wrong) / max(1, shown.counts.total()))
    print(f"  links: {linked:.2f}")
    for count, chain, pairs in wrong[:8]:
        print(f"    {count}: {' < '.join(str(f or file) for file, f in chain)}\n"
              f"      perf has no {' and no '.join(f'{a[1]} < {b[1]}' for a, b in pairs)}")
    check.that(linked >= 99, f"{name}: perf has the links of its chains", quiet=True)


def one(check, tmp, name, program, seconds):
    paths = [os.path.join(tmp, f"perf{i}") for i in (1, 2)]
    with started(tmp, [program]) as pids:
        with perf_recording(pids.values(), seconds, paths[0]):
            with perf_recording(pids.values(), seconds, paths[1]):
                profile = one_recording(tmp, pids, seconds)
        files = Files()
        first, second = (perf_chains(perf_script(p, 1200), files)[pids[name]] for p in paths)
        ours = our_chains(profile, files, SETTLED_US, ENDS)[pids[name]]
        compare(check, name, ours, first, second)


def main():
    need_bpf()
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    check = Checks()
    with folder() as tmp:
        for program in programs(tmp, None):
            if program[0] != "C, musl" and (not sys.argv[2:] or program[0] in sys.argv[2:]):
                one(check, tmp, program[0], program, seconds)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
