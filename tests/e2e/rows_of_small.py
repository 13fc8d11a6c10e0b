#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""rows_of_small.py PRINT_ROWS LOST: checks that a small program without unwind information (lost.c)
gets rows, although its file has unwind entries of the C start code."""

import re
import subprocess
import sys


def output(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def functions(program, *names):
    """Returns (start, end) of each function, from nm."""
    found = re.findall(r"^(\w+) (\w+) [tT] (\S+)$", output("nm", "-S", program), re.M)
    return [(int(a, 16), int(a, 16) + int(n, 16)) for a, n, name in found if name in names]


def main():
    rows = [line.split() for line in output(*sys.argv[1:3]).splitlines() if not line.startswith("#")]
    rows = [(int(start, 16), int(end, 16), cfa) for start, end, cfa, *_ in rows]
    parts = functions(sys.argv[2], "main", "spin")
    good = 0
    for start, end in parts:
        cfas = [(low, cfa) for low, high, cfa in rows if low < end and high > start]
        covered = sum(min(high, end) - max(low, start) for low, high, _ in rows if low < end and high > start)
        good += covered == end - start and cfas[0][1] == "sp+8" and all(cfa != "none" for _, cfa in cfas)
        print(f"{start:x} to {end:x}: {cfas}")
    print(f"{good} passed, {2 - good} failed")
    return good != 2 or len(parts) != 2


sys.exit(main())
