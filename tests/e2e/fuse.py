#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records a program on a file system whose daemon hangs; the recorder must not hang.

The daemon in this file serves one file by the kernel's protocol (include/uapi/linux/fuse.h, version
7.31). While the daemon answers, the program's functions have names. While the daemon is stopped,
the functions have no names, but the recording ends in time and reports why they have none.
"""

import contextlib
import ctypes
import os
import signal
import stat
import struct
import subprocess
import sys
import time

from lib import BUSY, Checks, Profile, folder, need_bpf, running, skip, unspool

LOOKUP, FORGET, GETATTR, STATFS, OPEN, READ, RELEASE = 1, 2, 3, 17, 14, 15, 18
FLUSH, INIT, INTERRUPT, BATCH_FORGET = 25, 26, 36, 42
ENOENT, ENOSYS = 2, 38
ROOT, FILE = 1, 2  # nodes
MNT_DETACH = 2
LIBC = ctypes.CDLL(None, use_errno=True)


def attr(node, size):
    mode = stat.S_IFDIR | 0o755 if node == ROOT else stat.S_IFREG | 0o755
    return struct.pack("<6Q10I", node, size, 0, 1, 1, 1, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(opcode, node, body, name, content):
    """Returns (errno, reply). The kernel may cache pages but no lookup, so each lookup reaches the
    daemon."""
    if opcode == INIT:
        return 0, struct.pack("<4I2H2I2H8I", 7, 31, 65536, 0, 0, 0, 4096, 1, 0, 0, *[0] * 8)
    if opcode == LOOKUP:
        if node != ROOT or body.rstrip(b"\0") != name:
            return ENOENT, b""
        return 0, struct.pack("<4Q2I", FILE, 0, 0, 0, 0, 0) + attr(FILE, len(content))
    if opcode == GETATTR:
        return 0, struct.pack("<Q2I", 0, 0, 0) + attr(node, len(content))
    if opcode == OPEN:
        return 0, struct.pack("<Q2I", 0, 0, 0)
    if opcode == READ:
        _, off, size = struct.unpack_from("<2QI", body)
        return 0, content[off:off + size]
    return (0, b"") if opcode in (RELEASE, FLUSH) else (ENOSYS, b"")


def serve(device, name, content):
    while True:
        request = os.read(device, 1 << 17)
        _, opcode, unique, node = struct.unpack_from("<2I2Q", request)
        if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
            continue
        err, reply = answer(opcode, node, request[40:], name, content)
        os.write(device, struct.pack("<IiQ", 16 + len(reply), -err, unique) + reply)


@contextlib.contextmanager
def mounted(place, path):
    """Mounts the file system at @place with a copy of @path; yields the daemon's pid."""
    with open(path, "rb") as file:
        content = file.read()
    try:
        device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        skip(f"/dev/fuse cannot be opened: {error.strerror}")
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0"
    if LIBC.mount(b"unspool", place.encode(), b"fuse.unspool", 6, options.encode()):
        skip(f"a FUSE file system cannot be mounted: {os.strerror(ctypes.get_errno())}")
    daemon = os.fork()
    if not daemon:
        serve(device, os.path.basename(path).encode(), content)
    os.close(device)
    try:
        yield daemon
    finally:
        os.kill(daemon, signal.SIGKILL)  # so that no process waits for the daemon any more
        os.waitpid(daemon, 0)
        LIBC.umount2(place.encode(), MNT_DETACH)


def recorded(pid, path):
    start = time.monotonic()
    done = unspool("record", "-F", 499, "-p", pid, "-d", 2, "-o", path, timeout=40)
    return Profile(path), time.monotonic() - start, done.stderr


def names(profile):
    return {f.get("name") for f in profile.of("frame") if f.get("module", "").endswith("/busy")} - {None}


def main():
    need_bpf()
    check = Checks()
    with folder() as tmp:
        place = os.path.join(tmp, "mnt")
        os.mkdir(place)
        with mounted(place, BUSY) as daemon, running([os.path.join(place, "busy")]) as busy:
            time.sleep(0.3)
            profile, took, said = recorded(busy.pid, os.path.join(tmp, "answers.ndjson"))
            check.that("main" in names(profile), "functions have names while the daemon answers: "
                       f"{len(names(profile))} names")
            check.that("does not answer" not in said,
                       "the recorder prints no warning while the daemon answers")
            os.kill(daemon, signal.SIGSTOP)
            profile, took, said = recorded(busy.pid, os.path.join(tmp, "hangs.ndjson"))
            samples = profile.summary["samples"]
            check.that(samples > 10 and took < 15,
                       "the recording ends within 15 s although the daemon is stopped: "
                       f"{samples} samples in {took:.1f} s")
            check.that(not names(profile), "functions have no names while the daemon is stopped")
            check.that("file system does not answer" in said,
                       "the recorder reports that the file system does not answer: "
                       f"{said.strip()}")
            listed = ""
            with contextlib.suppress(subprocess.TimeoutExpired):
                listed = unspool("ps", "--all", timeout=20).stdout
            check.that(str(busy.pid) in listed, "ps lists the process although the daemon is stopped")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
