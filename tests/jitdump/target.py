#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""target.py CASE FOLDER: runs code that it generates and describes it in valid or faulty files.

The program starts when FOLDER/../run exists. As soon as FOLDER/go exists, the program applies the
change of the case and continues. The program uses 1/40 of a CPU.
"""

import ctypes
import mmap
import os
import platform
import sys
import time

from jd import Dump

SPIN = bytes.fromhex({
    "x86_64": "55 4889e5 4889f8 48ffc8 75fb 5d c3",
    "aarch64": "fd7bbfa9 fd030091 e10300aa 210400f1 e1ffff54 fd7bc1a8 c0035fd6",
}[platform.machine()])
CLONE_NEWNS, CLONE_NEWPID, MS_REC_PRIVATE = 0x20000, 0x20000000, 0x44000  # linux/sched.h, linux/mount.h


def isolate():
    """Continues as the first process of another PID namespace, with its own /tmp."""
    libc = ctypes.CDLL(None, use_errno=True)
    for result in (libc.unshare(CLONE_NEWNS | CLONE_NEWPID), libc.mount(b"none", b"/", None, MS_REC_PRIVATE, None),
                   libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)):
        if result:
            raise OSError(ctypes.get_errno(), "namespaces")
    child = os.fork()
    if child:
        print(child, flush=True)
        os.waitpid(child, 0)
        sys.exit()


os.chdir(sys.argv[2])
if sys.argv[1].endswith("-namespace"):
    isolate()
PID = os.getpid()
MAP = f"/tmp/perf-{PID}.map"
LEN = len(SPIN)


def new_memory():
    memory = mmap.mmap(-1, 8192, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC,
                       flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory[:LEN] = SPIN
    return memory, ctypes.addressof(ctypes.c_char.from_buffer(memory))


MEMORY, ADDR = new_memory()
CALL = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(ADDR)


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def work():
    start = time.monotonic()
    CALL(1000000)
    time.sleep(39 * (time.monotonic() - start))


def line(name, addr=ADDR, size=LEN):
    return b"%x %x %s\n" % (addr, size, name)


def write_map(text, path=MAP, how="wb"):
    with open(path, how) as file:
        file.write(text)


class Live:
    """A jitdump to which records are appended, and the executable mapping that marks it for
    perf."""

    def __init__(self, path):
        self.path = os.path.join(path, f"jit-{PID}.dump")
        self.dump = Dump(pid=PID, time=now())
        self.written = 0
        self.file = open(self.path, "w+b", buffering=0)  # pylint: disable=consider-using-with
        self.put()
        self.marker = mmap.mmap(self.file.fileno(), 40, prot=mmap.PROT_READ | mmap.PROT_EXEC,
                                flags=mmap.MAP_PRIVATE)

    def put(self):
        self.file.write(self.dump.data[self.written:])
        self.written = len(self.dump.data)

    def load(self, name, lines=(), **more):
        self.dump.time = now()
        if lines:
            self.dump.debug([(ADDR + off, number, 3, file) for off, number, file in lines], addr=ADDR)
        self.dump.load(name, addr=ADDR, code=SPIN, **more)
        self.put()


def rewrite_dump(live):
    """Rewrites the file from its start without changing its length."""
    other = Dump(pid=PID, time=now())
    other.time = now()
    other.load(b"after", addr=ADDR, code=SPIN)
    other.record(99, b"\0" * (len(live.dump.data) - len(other.data) - 16 + 64))
    live.file.seek(0)
    live.file.truncate(0)
    live.file.write(other.data)


def main():  # pylint: disable=too-many-branches
    case, path = sys.argv[1:3]
    after = {}
    if case.startswith("dump-"):
        live = Live("/tmp" if case == "dump-namespace" else path)
        live.load(b"before", [(0, 11, b"/a.jit"), (3, 12, b"/a.jit"), (LEN, 12, b"/a.jit")])
        after = {"dump-again": lambda: live.load(b"after", [(0, 21, b"/b.jit"), (LEN, 21, b"/b.jit")]),
                 "dump-cut": lambda: rewrite_dump(live),
                 "dump-deleted": lambda: os.unlink(live.path) or live.load(b"after"),
                 "dump-renamed": lambda: os.rename(live.path, live.path + ".old") or live.load(b"after"),
                 "dump-zeros": lambda: os.truncate(live.path, live.written + 100),
                 "dump-garbage": lambda: live.file.write(b"\xff" * 4096),
                 "dump-future": lambda: live.load(b"after", time=now() + 10 ** 12),
                 "dump-huge": lambda: live.dump.record(0, b"", size=0xffffffff) and live.put(),
                 "dump-other-pid": lambda: live.load(b"after", pid=PID + 1)}
        if case == "dump-fork":
            child = os.fork()
            if child:
                after = {case: lambda: live.load(b"after")}
                print(PID, child, flush=True)
    elif case == "map-fifo":
        os.mkfifo(MAP)
    elif case == "map-symlink":
        write_map(line(b"before"), path + "/map")
        os.symlink(path + "/map", MAP)
    elif case == "map-folder":
        os.mkdir(MAP)
    else:
        text = {"map-names": line(b"two words \xff\x1b[31m"),
                "map-0x": b"0x%x 0x%x before\n" % (ADDR, LEN),
                "map-newline": line(b"before\nand more") + b"\n \nzz 1 x\n" + line(b""),
                "map-overlap": line(b"below", ADDR - 4, 4) + line(b"under", ADDR - 4096, 8192)
                + line(b"before") + line(b"above", ADDR + LEN, 100),
                "map-many": b"".join(line(b"function_%d" % i, i * 64, 64) for i in range(1, 100001))
                + line(b"before"),
                "map-long": b"x" * 300000 + b"\n" + line(b"before" + b"e" * 300000),
                "map-sizes": line(b"a", size=0) + line(b"before") + line(b"b", ADDR, (1 << 64) - 1)
                + b"%x 1ffffffffffffffff c\n" % ADDR}.get(case, line(b"before"))
        write_map(text)
        after = {"map-again": lambda: write_map(line(b"after"), how="ab"),
                 "map-in-place": lambda: write_map(line(b"after!")),
                 "map-replaced": lambda: write_map(line(b"after!") + line(b"x", 64), MAP + ".new")
                 or os.rename(MAP + ".new", MAP),
                 "map-cut": lambda: os.truncate(MAP, 0),
                 "map-deleted": lambda: os.unlink(MAP)}
        if case == "map-of-another":
            os.chown(MAP, 12345, 12345)
        if case == "map-stale":
            os.utime(MAP, (1, 1))
    if case != "dump-fork" and not case.endswith("-namespace"):
        print(PID, flush=True)
    while not os.path.exists("../run"):
        time.sleep(0.05)
    while not os.path.exists("go"):
        work()
    after.get(case, lambda: None)()
    while True:
        work()


main()
