#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests that an unprivileged user cannot take the lines of native code from a recording. killer.py
kills the process that reads debug information, wherever it may."""

import os
import sys

import attack
from lib import Checks, folder, need_bpf, record, running

INLINED = os.environ["UNSPOOL_INLINED"]
KILLER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "killer.py")


def lines(profile):
    """Returns how many functions of the program have lines, and how many have none."""
    found = [f.get("line", 0) > 0 for f in profile.of("frame")
             if f.get("module", "").endswith("/inlined") and f.get("name", "_start") != "_start"]
    return sum(found), len(found) - sum(found)


def main():
    need_bpf()
    check = Checks()
    for in_namespace in False, True:
        label = "in a user namespace" if in_namespace else "in the first namespace"
        with folder() as tmp, running([INLINED]) as target, attack.attacking(
                [*attack.install(tmp, KILLER), tmp], b"running", in_namespace=in_namespace) as by:
            profile = record("-p", target.pid, "-d", 2, out=os.path.join(tmp, "h.ndjson"))[1]
            by.kill()
            killed = by.stdout.read().count(b"killed")
        check.equal(killed, 0, f"{label}, another user kills no helper")
        have, lack = lines(profile)
        check.that(have > 2 and not lack,
                   f"{label}, functions have lines: {have} have one, {lack} have none")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
