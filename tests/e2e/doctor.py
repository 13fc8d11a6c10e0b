#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares `doctor` with a real recording while capabilities are dropped in turn.

Capabilities are dropped from the bounding set, so unspool starts without them, as in a container.
"""

import ctypes
import os
import sys
import tempfile

from lib import Checks, need_bpf, skip, unspool

PR_CAPBSET_DROP = 24
NUMBERS = {"CAP_SYS_PTRACE": 19, "CAP_SYS_ADMIN": 21, "CAP_PERFMON": 38, "CAP_BPF": 39}
# (dropped capabilities, capabilities that doctor must report as missing). CAP_SYS_ADMIN includes
# the other two.
ROWS = [
    ([], []),
    (["CAP_SYS_ADMIN"], []),
    (["CAP_BPF"], []),
    (["CAP_SYS_PTRACE", "CAP_SYS_ADMIN"], ["CAP_SYS_PTRACE"]),
    (["CAP_BPF", "CAP_SYS_ADMIN"], ["CAP_BPF"]),
    (["CAP_PERFMON", "CAP_SYS_ADMIN"], ["CAP_PERFMON"]),
    (["CAP_BPF", "CAP_PERFMON", "CAP_SYS_ADMIN"], ["CAP_BPF", "CAP_PERFMON"]),
]


def run(dropped, *args):
    libc = ctypes.CDLL(None, use_errno=True)

    def drop():
        for name in dropped:
            if libc.prctl(PR_CAPBSET_DROP, NUMBERS[name], 0, 0, 0):
                os._exit(99)

    return unspool(*args, preexec_fn=drop)


def look(c, where, dropped, named):
    words = " and ".join(dropped) or "nothing"
    doctor = run(dropped, "doctor")
    profile = os.path.join(where, "p.ndjson")
    record = run(dropped, "record", "-q", "-o", profile, "--", "sh", "-c", ":")
    c.that(doctor.returncode == (3 if record.returncode == 3 else 0),
           f"after dropping {words}: `doctor` exits with 3 if and only if `record` does: doctor "
           f"{doctor.returncode}, record {record.returncode}")
    lines = [line for line in doctor.stdout.splitlines() if line.startswith(("missing", "limited"))]
    said = {name for name in NUMBERS if any(f"{name} is missing" in line or (
        name in line and "are missing" in line) for line in lines)}
    c.that(said == set(named),
           f"after dropping {words}: `doctor` reports the expected missing capabilities: "
           f"{sorted(said) or 'none'}")
    if record.returncode == 3:
        c.that(len(record.stderr.splitlines()) == 1 and all(n in record.stderr for n in named),
               f"after dropping {words}: `record` reports each missing capability in one line")
        c.that(not os.listdir(where),
               f"after dropping {words}: the refused recording leaves no file")


def main():
    if os.geteuid():
        skip("this test needs root to drop capabilities")
    need_bpf()
    c = Checks()
    for dropped, named in ROWS:
        with tempfile.TemporaryDirectory() as where:
            look(c, where, dropped, named)
    return c.end()


if __name__ == "__main__":
    sys.exit(main())
