#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""native_chains.py [SECONDS [PROGRAM...]]: compares native stacks with perf's.

This test is only run by hand (ci/native-check). Records native.py's programs and Node.js in its
libraries, one after the other, by Unspool and by two `perf record --call-graph dwarf` at the same
time. No two recordings contain exactly the same chains. Therefore the share of Unspool's chains
that the first perf has is compared with the share of the second perf's chains that the first perf
has. The figures of each program:

  complete  samples after the first two seconds whose stack reaches its root by rows alone, in %
  in perf   samples whose chain the first perf has, in %
  perf too  samples of the second perf whose chain the first perf has, in %: the reference
  points    largest difference of a chain's share, of the twenty most frequent, in points
  links     samples for whose chain perf has each pair of a function and its caller, in %

for chains of native.py's depth (chains.py) and of fewer functions. Unspool fails if `in perf` is
below 99 % and more than a point below `perf too`, or if completeness or points miss the limits of
native.py. perf has no chains of a program with musl; such a program is judged by its known nesting.
The same judges must refuse a recording of two seconds without rows.
"""

import os
import sys

import chains
import results
from chains import Chains, Files, cut, links, our_chains, perf_chains
from lib import Checks, folder, need_bpf, version_of
from native import (ENDS, HIDDEN, MUSL_PROGRAM, SETTLED_US, is_nested, judge, nesting,
                    one_recording, perf_recording, perf_script, programs, started)

DEPTHS = (2, 3, chains.DEPTH)
NODE = "Node.js"
NODE_VERSION = version_of("24")
STACK_LEN = 16384
# If two perfs have equal periods, the time between their samples of a thread is constant: in
# Node.js 27 % of the samples of the second perf are within 0.1 ms of a sample of the first. Both
# then record the same rare events, so the difference between the two is too small as a measure of
# scatter. If the periods differ, the share is 10 %.
CONTROL_HZ = 487
MARGIN = 1  # percentage points by which `in perf` may be below `perf too`

# More than the frame of libuv's uv__io_poll(), 12 KiB, and the JavaScript frames that it calls.
NODE_STACK_LEN = 49152


def share(counts, known):
    return 100 * sum(n for c, n in counts.items() if c in known) / max(1, counts.total())


def unlinked(ours, *theirs):
    """Returns Unspool's chains with a link that no chain of perf has, most frequent first."""
    known = {link for counts in theirs for chain in counts for link in links(chain)}
    return sorted(((n, chain, links(chain) - known) for chain, n in ours.items()
                   if links(chain) - known), key=lambda item: -item[0])


def only_native(found, hidden):
    """Leaves out chains that perf can't unwind, and chains through V8's builtins, which are not
    native code and which perf unwinds only in part, by frame pointers."""
    shown = Chains()
    shown.counts.update({c: n for c, n in found.counts.items() if not hidden(c) and
                         not any((f or "").startswith("Builtins_") for _, f in c)})
    return shown


def linked(counts, wrong):
    return 100 * (1 - sum(n for n, *_ in wrong) / max(1, counts.total()))


def compare(check, name, ours, first, second):
    shown = only_native(ours, HIDDEN.get(name, lambda chain: False))
    second = only_native(second, lambda chain: False)
    print(f"  samples: Unspool recorded {shown.counts.total()}, the first perf "
          f"{first.counts.total()} "
          f"and the second perf {second.counts.total()}")
    for depth in DEPTHS:
        a, b = cut(first.counts, depth), cut(second.counts, depth)
        us, them = share(cut(shown.counts, depth), a), share(b, a)
        results.add(program=name, depth=depth, samples=shown.counts.total(), in_perf=round(us, 2),
                    perf_too=round(them, 2))
        print(f"  depth {depth}: in perf {us:6.2f}  perf too {them:6.2f}", flush=True)
        check.that(us >= min(99, them - MARGIN),
                   f"{name}: perf also recorded the call chains of depth {depth} that Unspool "
                   "recorded", quiet=True)
    wrong = unlinked(shown.counts, first.counts)
    us, them = linked(shown.counts, wrong), linked(second.counts,
                                                   unlinked(second.counts, first.counts))
    results.add(program=name, links_in_perf=round(us, 2), perf_too=round(them, 2))
    print(f"  links:   in perf {us:6.2f}  perf too {them:6.2f}")
    for count, chain, pairs in wrong[:8]:
        print(f"    {count}: {' < '.join(str(f or file) for file, f in chain)}\n"
              "      perf did not record the pairs "
              f"{', '.join(f'{a[1]} < {b[1]}' for a, b in pairs)}")
    check.that(us >= min(99, them - MARGIN),
               f"{name}: perf also recorded the pairs of function and caller that Unspool "
               "recorded", quiet=True)


def without_rows(check, tmp, name, pids, files):
    """The negative control."""
    profile = one_recording(tmp, pids, 2, "--max-memory", "0")
    v = judge(name, our_chains(profile, files).get(pids[name], Chains()), Chains())
    check.that(not v.is_complete and not v.is_seen and not v.is_linked,
               f"{name}: the judges refuse a recording for which no rows were loaded")


def judge_musl(check, profile, pid, ours):
    known, exact, wrong = nesting(profile, pid, MUSL_PROGRAM)
    v = judge("C, musl", ours, Chains())
    print(f"  {exact} of the {known} stacks whose nesting is known are exact", *wrong[:5],
          sep="\n    ")
    check.that(v.is_complete, "C, musl: stacks are complete", quiet=True)
    check.that(is_nested(known, exact), "C, musl: stacks match the program's source", quiet=True)


def one(check, tmp, name, program, seconds):
    paths = [os.path.join(tmp, f"perf{i}") for i in (1, 2)]
    stack_len = NODE_STACK_LEN if name == NODE else STACK_LEN
    files = Files()
    with started(tmp, [program]) as pids:
        with perf_recording(pids.values(), seconds, paths[0], stack_len):
            with perf_recording(pids.values(), seconds, paths[1], stack_len, CONTROL_HZ):
                profile = one_recording(tmp, pids, seconds)
        ours = our_chains(profile, files, SETTLED_US, ENDS)[pids[name]]
        if name == "C, musl":
            judge_musl(check, profile, pids[name], ours)
        else:
            first, second = (perf_chains(perf_script(p, 1200), files, parts=name == NODE)[pids[name]]
                             for p in paths)
            v = judge(name, ours, first)
            check.that(v.is_complete, f"{name}: stacks are complete", quiet=True)
            check.that(v.is_near,
                       f"{name}: frequent call chains have about the same shares in Unspool and "
                       "perf", quiet=True)
            compare(check, name, ours, first, second)
        without_rows(check, tmp, name, pids, files)


def all_programs(tmp, wanted):
    found = [p for p in programs(tmp, None) if not wanted or p[0] in wanted]
    if not wanted or NODE in wanted:
        found += programs(tmp, NODE_VERSION)
    return found


def main():
    need_bpf()
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    check = Checks()
    with folder() as tmp:
        for program in all_programs(tmp, sys.argv[2:]):
            one(check, tmp, program[0], program, seconds)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
