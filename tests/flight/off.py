#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""off.py OBJECT_OFF... -- OBJECT_ON...: compares records() with does_not(), an empty function.
Without the recorder, both have the same instructions; with it, records() has many more."""

import re
import subprocess
import sys


def instructions(path):
    """Returns the instructions of both functions, without addresses."""
    text = subprocess.run(["llvm-objdump", "-d", "--no-show-raw-insn", path], check=True,
                          capture_output=True, text=True).stdout
    found, lines = {}, None
    for line in text.splitlines():
        if match := re.match(r"[0-9a-f]+ <(\w+)>:", line):
            lines = found[match[1]] = []
        elif (match := re.match(r"\s*[0-9a-f]+:\s+(.*)", line)) and lines is not None:
            if not match[1].startswith("nop"):  # between functions
                lines.append(match[1])
    return found["records"], found["does_not"]


split = sys.argv.index("--")
failed = passed = 0
for path in sys.argv[1:split] + sys.argv[split + 1:]:
    records, does_not = instructions(path)
    is_off = path in sys.argv[1:split]
    good = does_not and (records == does_not if is_off else len(records) > len(does_not) + 20)
    print(f"{'good' if good else 'BAD'}: {path}: records() has {len(records)} instructions, and "
          f"does_not() has {len(does_not)}")
    passed += bool(good)
    failed += not good
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or not passed)
