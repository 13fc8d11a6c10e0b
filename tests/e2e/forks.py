#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests that short-lived children are unwound by their parent's tables as long as they share the
parent's memory.

The children of forks.c work for 4 ms and exit before tables for them are loaded. Children that do
not call exec are unwound to the root. Children that called exec are unwound to the root, too, by
the rows of files that are already known; their stacks have no frame of their parent.
"""

import os
import sys

from lib import Checks, folder, need_bpf, record, running

FORKS = os.environ["UNSPOOL_FORKS"]
HZ = 1999


def chains(profile, parent):
    """Yields (count, is the stack complete, the program's functions leaf first) of the children's
    samples."""
    for count, stack, frames, line in profile.samples():
        if line["pid"] != parent:
            yield count, stack["status"] == "complete", [
                f.get("name") for f in frames
                if f.get("module", "").endswith("/forks") and not f.get("inlined")]


def recorded(tmp, *args):
    with running([FORKS, *args]) as child:
        _, profile = record("-p", child.pid, "-d", 3, out=os.path.join(tmp, "p.ndjson"), hz=HZ)
        return list(chains(profile, child.pid))


def main():
    need_bpf()
    check = Checks()
    with folder() as tmp:
        found = recorded(tmp)
        n, whole = sum(c for c, *_ in found), sum(c for c, good, _ in found if good)
        check.that(n > 50 and whole > 0.9 * n,
                   f"more than 90 % of the children's stacks are complete: {whole} of {n}")
        at_work = [(c, names) for c, good, names in found if good and "child_work" in names]
        right = sum(c for c, names in at_work if names[-3:] == ["child_work", "main", "_start"])
        n = sum(c for c, _ in at_work)
        check.that(n > 30 and right == n,
                   f"all complete stacks in child_work match the source: {right} of {n}")

        found = recorded(tmp, "exec")
        n, others = sum(c for c, *_ in found), sum(c for c, _, names in found if "other_work" in names)
        check.that(n > 50, f"more than 50 samples are of children that call exec: {n}")
        wrong = [names for _, good, names in found if good and
                 "child_work" in names and "other_work" not in names]
        whole = sum(c for c, good, _ in found if good)
        check.that(whole > 0.9 * n,
                   f"more than 90 % of the stacks of children that call exec are complete: "
                   f"{whole} of {n}")
        at_work = [(c, names) for c, good, names in found if good and "child_work" in names]
        right = sum(c for c, names in at_work
                    if names[-4:] == ["child_work", "other_work", "main", "_start"])
        n = sum(c for c, _ in at_work)
        check.that(n > 30 and right == n, "all complete stacks in child_work match the source "
                   f"after an exec: {right} of {n}")
        check.that(not wrong,
                   "after an exec no stack has frames of the parent but none of the child "
                   f"({others} stacks have frames of the child): {wrong[:3]}")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
