#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""outputs.py [SEED...]: tests that other users get nothing of what Unspool writes, and that files
from other users do no harm.

plant.py runs as another user and plants files under the names that Unspool chooses by default. A
dump of the flight recorder names a process, which is captured only with the user's consent. A core
whose notes overlap must not take more memory than the core.
"""

import os
import re
import resource
import signal
import stat
import struct
import subprocess
import sys
import time

import attack
from lib import BUSY, UNSPOOL, Checks, folder, need_bpf, running, unspool, wait_until

SIM = os.environ.get("UNSPOOL_SIM", "unspool-sim")
LOST = os.environ.get("UNSPOOL_LOST", "lost")
PLANT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "plant.py")
MAX_KB = 256 * 1024


def planted(check, tmp, seed):
    plant = attack.install(tmp, PLANT)[0]
    os.chmod(tmp, 0o777)
    with running([BUSY], b"running") as target, attack.attacking(
            [plant, tmp, str(target.pid), "busy", str(seed)], b"planted", stdin=subprocess.PIPE) as by:
        before = set(os.listdir(tmp))
        with running([UNSPOOL, "record", "-p", str(target.pid), "-d", "3"], cwd=tmp,
                     stderr=subprocess.PIPE, umask=0) as child:
            wait_until(lambda: any(n.endswith(".partial") for n in os.listdir(tmp)))
            time.sleep(1.5)
            child.send_signal(signal.SIGUSR1)
            said = child.communicate(timeout=30)[1].decode()
        done = unspool("capture", "-p", target.pid, "-d", 5, cwd=tmp, umask=0)
        new = set(os.listdir(tmp)) - before
        arrived = by.communicate(timeout=20)[0].split()[-1]
    check.equal((child.returncode, done.returncode), (0, 0),
                f"seed {seed}: `record` and `capture` write files with other names than planted: "
                f"{said.strip()} {done.stderr.strip()}")
    check.equal(arrived, b"0", f"seed {seed}: nothing arrives in planted files")
    kinds = sorted(re.sub(r".*\d{8}T\d{6}Z(-\d+)*\.", "", name) for name in new)
    check.equal(kinds, ["core.zst", "html", "html"],
                f"seed {seed}: a profile, its copy and a case are new")
    for name in new:
        st = os.lstat(os.path.join(tmp, name))
        check.equal((stat.S_IFMT(st.st_mode), stat.S_IMODE(st.st_mode), st.st_uid, st.st_nlink),
                    (stat.S_IFREG, 0o600, 0, 1), f"seed {seed}: only root can read {name}")
    check.that(said.strip().splitlines()[-1] in {f"{n}" for n in new},
               f"seed {seed}: the last line is the path of the profile")


def other_users_pipe(check, tmp, seed):
    path = os.path.join(tmp, "p.ndjson")
    os.mkfifo(path)
    os.chown(path, attack.NOBODY, attack.NOBODY)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with running([BUSY], b"running") as target:
        done = unspool("record", "-q", "-p", target.pid, "-d", 1, "-o", path)
    check.equal(done.returncode, 2, f"seed {seed}: -o refuses a pipe of another user: "
                f"{done.stderr.strip()}")
    os.close(reader)


def named_by_a_dump(check, tmp, seed):
    """A dump that another user made names any process."""
    with running([LOST, "nowhere"], b"running") as target:
        out = os.path.join(tmp, "d.ndjson")
        with running([UNSPOOL, "record", "-q", "-p", str(target.pid), "-d", "4", "-o", out],
                     stderr=subprocess.DEVNULL) as child:
            time.sleep(3)
            child.send_signal(signal.SIGUSR2)
            child.wait(30)
        done = unspool("flight", "cases", os.path.join(tmp, "d-1.fr"), cwd=tmp)
        check.that(done.returncode == 1 and "--yes" in done.stderr,
                   f"seed {seed}: `flight cases FILE` does not capture a process without consent: "
                   f"{done.stderr.strip()}")
        check.equal([n for n in os.listdir(tmp) if n.endswith(".core")], [],
                    f"seed {seed}: `flight cases FILE` writes no case without consent")
        done = unspool("flight", "cases", "--yes", os.path.join(tmp, "d-1.fr"), cwd=tmp)
        check.equal(done.returncode, 0, f"seed {seed}: `flight cases --yes FILE` captures the process:"
                    f" {done.stderr.strip()}")


def overlapping_notes(check, tmp, seed):
    """A core whose program headers contain the same notes, from different ones on."""
    chance = attack.chooser("notes", seed)
    length, count = chance.randrange(20 << 20, 32 << 20), chance.randrange(100, 400)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 4, 62, 1, 0, 64, 0, 0, 64, 56, count,
                         0, 0, 0)
    note = struct.pack("<IIQ4x", 4, 0, 0)[:12] + b"abc\0"
    start = 64 + 56 * count + 1  # notes that are not aligned are copied
    path = os.path.join(tmp, "n.core")
    with open(path, "wb") as file:
        file.write(header)
        for i in range(count):  # libelf shares the copies of equal headers
            file.write(struct.pack("<IIQQQQQQ", 4, 0, start + 16 * i, 0, 0, length & -16, 0, 4))
        file.write(b"\0")
        file.write(note * (length // 16 + count))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    done = subprocess.run([SIM, "show", path], capture_output=True, timeout=60, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30,) * 2))
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    check.that(done.returncode in (1, 2) and b"truncated or corrupt" in done.stderr,
               f"seed {seed}: `unspool-sim show` refuses {count} headers with almost the same "
               f"{length >> 20} MiB of notes: {done.stderr.decode().strip()}")
    check.that(max(before, used) < MAX_KB, f"seed {seed}: it uses less than {MAX_KB} KB: {used} KB")


def main():
    need_bpf()
    check = Checks()
    for seed in attack.seeds(sys.argv[1:]):
        for part in (overlapping_notes, planted, other_users_pipe, named_by_a_dump):
            with folder() as tmp:
                part(check, tmp, seed)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
