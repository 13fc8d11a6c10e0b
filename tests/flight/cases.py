#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""cases.py UNSPOOL MAKE-DUMP: runs `unspool flight cases` on a dump with two cases and a frozen
ring without a case. The command must write each case to a file whose name has the pid and the
reason."""

import os
import subprocess
import sys
import tempfile

UNSPOOL, MAKE_DUMP = sys.argv[1:]
FROZEN = [
    'pid 7: a ring was frozen because a walk ended with "fault"',
    'pid 9: a ring was frozen because of "no-unwind-row", but the dump contains no case: '
    'the process had ended',
    'pid 4194303: a ring was frozen because a walk ended with "no-unwind-row"',
]
failed = passed = 0


def check(ok, what):
    global failed, passed
    print("ok:" if ok else "FAILED:", what)
    failed += not ok
    passed += bool(ok)


def cases(*args):
    return subprocess.run([UNSPOOL, "flight", "cases", *args], capture_output=True, text=True,
                          timeout=60, check=False)


with tempfile.TemporaryDirectory() as tmp:
    dump = os.path.join(tmp, "made.fr")
    with open(dump, "wb") as file:
        subprocess.run([MAKE_DUMP], stdout=file, check=True)
    listed = cases("--list", dump)
    print(listed.stdout, listed.stderr)
    check(listed.returncode == 0 and listed.stdout.splitlines() == FROZEN,
          "`cases --list` prints a line for each frozen ring")
    check(os.listdir(tmp) == ["made.fr"], "`cases --list` writes no file")
    done = cases(dump, "-o", tmp)
    print(done.stdout, done.stderr, os.listdir(tmp))
    first = os.path.join(tmp, "flight-7-fault.core")
    second = os.path.join(tmp, "flight-4194303-no-unwind-row.core")
    check(done.returncode == 0 and done.stdout.splitlines() ==
          [FROZEN[0], first, *FROZEN[1:], second],
          "`cases` prints the path of each case that it writes")
    with open(first, "rb") as one, open(second, "rb") as two:
        check(one.read() == b"one case" and two.read().startswith(b"another case, of 64 bytes"),
              "each file that `cases` writes contains the bytes of one case")
    check(cases(dump, "-o", os.path.join(tmp, "none")).returncode == 1,
          "`cases` fails if the output folder does not exist")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
