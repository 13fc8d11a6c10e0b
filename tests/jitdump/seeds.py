#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""seeds.py FOLDER: the faulty and the whole jitdumps, as files to begin fuzzing with."""

import os
import sys

from faulty import TABLE
from jd import write

os.makedirs(sys.argv[1], exist_ok=True)
for number, (_, dump, _) in enumerate(TABLE):
    write(os.path.join(sys.argv[1], f"{number}.dump"), dump)
print(len(TABLE))
