#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests that programs with very many unwind rules do not take the rules of others. The programs run
as another user; the stacks of a program that starts later are complete, although it needs rules of
its own."""

import os
import sys

import attack
from lib import Checks, folder, need_bpf, record

RULES = attack.programs("rules-0", "rules-1", "rules-2", "rules-3")
FRAMES = attack.programs("frames")[0]
LATE_S = 3  # after the start of the recording
DEPTH = 16  # functions of frames.c


def recorded(tmp, programs):
    """Records @programs, whose files belong to another user, and later frames.c. Returns the profile
    and the pid of frames.c."""
    for program in programs:
        os.chown(program, attack.NOBODY, attack.NOBODY)
    attacks = " ".join(f"setpriv --reuid {attack.NOBODY} timeout 8 {program} &" for program in programs)
    _, profile = record("sh", "-c", f"{attacks} sleep {LATE_S}; timeout 4 {FRAMES}",
                        out=os.path.join(tmp, "r.ndjson"))
    pids = [p["pid"] for p in profile.of("process") if p.get("name") == "frames"]
    return profile, pids[-1] if pids else 0


def judge(profile, pid):
    """Returns the samples of a process in its second half, and how many of them are not complete
    stacks through all functions."""
    lines = [line for line in profile.of("samples") if line["pid"] == pid]
    lines = lines[len(lines) // 2:]
    bad = 0
    for line in lines:
        stack = profile.stacks[line["stack"]]
        names = [profile.frames[i].get("name", "") for i in stack["frames"]]
        depth = sum(name.startswith("level_") for name in names)
        bad += line["count"] * (stack["status"] != "complete" or "leaf" in names and depth != DEPTH)
    return sum(line["count"] for line in lines), bad


def main():
    need_bpf()
    check = Checks()
    with folder() as tmp:
        profile, pid = recorded(tmp, attack.install(tmp, *RULES))
        refused = profile.summary["rows"]["refused"]
        check.that(refused > 10000, f"rules of the attack are refused: {refused}")
        n, bad = judge(profile, pid)
        check.that(n > 100 and bad <= 0.005 * n + 3,
                   f"99.5 % of {n} stacks of the other program are complete: {bad} are not")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
