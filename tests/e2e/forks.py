#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Short-lived children use their parent's tables as long as they share its memory.

The children of forks.c work for 4 ms and exit before their own tables are loaded. Children that
only forked are unwound to the root. Children that executed another program are, too, by rows of
files seen before; their stacks have no frame of their parent.
"""

import os
import sys

from lib import Checks, folder, need_bpf, record, running

FORKS = os.environ["UNSPOOL_FORKS"]
HZ = 1999


def chains(profile, parent):
    """(count, is it complete, functions of the program leaf first) of the children's samples."""
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
        check.that(n > 50 and whole > 0.9 * n, f"{whole} of {n} stacks of children are complete")
        at_work = [(c, names) for c, good, names in found if good and "child_work" in names]
        right = sum(c for c, names in at_work if names[-3:] == ["child_work", "main", "_start"])
        n = sum(c for c, _ in at_work)
        check.that(n > 30 and right == n, f"{right} of {n} at work match the source")

        found = recorded(tmp, "exec")
        n, others = sum(c for c, *_ in found), sum(c for c, _, names in found if "other_work" in names)
        check.that(n > 50, f"{n} samples of children after an exec")
        wrong = [names for _, good, names in found if good and
                 "child_work" in names and "other_work" not in names]
        whole = sum(c for c, good, _ in found if good)
        check.that(whole > 0.9 * n, f"{whole} of {n} are complete")
        at_work = [(c, names) for c, good, names in found if good and "child_work" in names]
        right = sum(c for c, names in at_work
                    if names[-4:] == ["child_work", "other_work", "main", "_start"])
        n = sum(c for c, _ in at_work)
        check.that(n > 30 and right == n, f"{right} of {n} at work match the source")
        check.that(not wrong, f"none has the parent's stack ({others} their own): {wrong[:3]}")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
