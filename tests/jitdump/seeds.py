#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""seeds.py FOLDER: writes the faulty and the valid jitdumps as seeds for fuzzing.

With `followed`: writes the seeds of tests/fuzz/jit.c: these files, each split in two parts, and
perf maps."""

import os
import sys

from faulty import TABLE
from jd import write

MAPS = (b"1000 10 f\n0x1100 20 a b\nno line\n2000 fff g\n1000 8 h\n", b"1000 10 f\n" * 9)

os.makedirs(sys.argv[1], exist_ok=True)
files = [dump if isinstance(dump, bytes) else dump.data for _, dump, _ in TABLE]
if sys.argv[2:] == ["followed"]:
    files = [mode + b"\x80" + data for mode in (b"0", b"2", b"4") for data in files] + [
        mode + b"\x60" + data for mode in (b"1", b"3") for data in MAPS]
for number, data in enumerate(files):
    write(os.path.join(sys.argv[1], f"{number}.dump"), data)
print(len(files))
