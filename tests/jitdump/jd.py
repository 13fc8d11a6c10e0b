# SPDX-License-Identifier: BSD-2-Clause
"""A writer and reader of jitdumps, made from perf's specification
(tools/perf/Documentation/jitdump-specification.txt) without any of the tested code."""

import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../e2e"))
# pylint: disable=wrong-import-position
from lib import UNSPOOL, Checks, folder, running, skip  # noqa: F401

LOAD, MOVE, DEBUG, CLOSE, UNWIND = range(5)
MAGIC = 0x4A695444
JIT = os.environ.get("UNSPOOL_JIT", "jit")  # jit.c
CRASH = os.environ.get("UNSPOOL_JIT_CRASH", "jit-crash")  # crash.c
IMAGE = os.environ.get("UNSPOOL_JIT_IMAGE", "jit-image")  # image.c


class Dump:
    """Builds a file in one byte order. By default code gets the next index, and records the next
    time."""

    def __init__(self, order="<", mach=62, pid=812, version=1, flags=0, pad=0, size=40, time=900):
        self.order, self.pid, self.time, self.index = order, pid, 1000, 0
        self.data = struct.pack(order + "IIIIIIQQ", MAGIC, version, size, mach, pad, pid, time, flags)

    def raw(self, data):
        self.data += data
        return self

    def record(self, kind, body, size=None, time=None):
        self.time += 10
        return self.raw(struct.pack(self.order + "IIQ", kind, 16 + len(body) if size is None else size,
                                    self.time if time is None else time) + body)

    def load(self, name=b"f", addr=0x1000, code=b"\xc3" * 16, index=None, time=None, slack=b"",
             code_size=None, vma=None, pid=None, nul=b"\0"):
        number = self.index if index is None else index
        self.index += 1
        return self.record(LOAD, struct.pack(
            self.order + "IIQQQQ", self.pid if pid is None else pid, 7, addr if vma is None else vma,
            addr, len(code) if code_size is None else code_size, number) + name + nul + slack + code,
            time=time)

    def move(self, old=0x1000, new=0x3000, size=16, index=0):
        return self.record(MOVE, struct.pack(self.order + "IIQQQQQ", self.pid, 7, new, old, new, size,
                                             index))

    def debug(self, entries, addr=0x1000, n=None, pad=b""):
        body = b"".join(struct.pack(self.order + "QII", a, line, column) + file + b"\0"
                        for a, line, column, file in entries)
        return self.record(DEBUG, struct.pack(self.order + "QQ", addr, len(entries) if n is None else n)
                           + body + pad)

    def unwind(self, eh_frame=b"\x14\0\0\0\0\0\0\0\1zR\0", hdr=b"\1\x1b\3\x3b" + b"\0" * 16, mapped=0,
               hdr_first=False, size=None, hdr_size=None):
        data = hdr + eh_frame if hdr_first else eh_frame + hdr
        return self.record(UNWIND, struct.pack(
            self.order + "QQQ", len(data) if size is None else size,
            len(hdr) if hdr_size is None else hdr_size, mapped) + data)


def records(data):
    """Yields (offset, kind, bytes) of each complete record of a little-endian file."""
    at = 40
    while at + 16 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if size < 16 or at + size > len(data):
            return
        yield at, kind, data[at:at + size]
        at += size


def name_of(record):
    return record[56:].split(b"\0")[0].decode()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data.data if isinstance(data, Dump) else data)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def jitdump(*args, timeout=60, **options):
    return subprocess.run([UNSPOOL, "jitdump", *map(str, args)], capture_output=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, encoding="utf-8", errors="surrogateescape",
                          check=False, **options)
