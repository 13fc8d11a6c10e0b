# SPDX-License-Identifier: BSD-2-Clause
"""Jitdumps with one fault each, and a valid one."""

import os
import struct
import time

from jd import Dump

NOW = time.monotonic_ns()
CLOSED = [(0x1000, 3, 1, b"a.js"), (0x1010, 3, 1, b"a.js")]


def whole(order, mach):
    """Returns a valid file with records of all kinds."""
    return (Dump(order, mach).unwind().load(b"plain").debug([(0x2000, 3, 7, b"/src/a.js"),
            (0x2008, 4, 1, b"/src/b.js"), (0x2010, 4, 1, b"/src/b.js")], addr=0x2000)
            .unwind().load(b"lines", 0x2000).move().load(b"", 0x5000, b"").record(3, b""))


def v8(**options):
    return Dump(pad=0xDEADBEEF, **options)


# (fault, file, rules that check reports for the file, including notes).
TABLE = [
    ("a valid file", whole("<", 62), []),
    ("a valid file in the other byte order", whole(">", 183), []),
    ("version 2", Dump(version=2).load(), ["header-version"]),
    ("a longer header", Dump(size=48).raw(b"\0" * 8).load(), ["header-size"]),
    ("an unknown flag", Dump(flags=4).load(), ["header-flags"]),
    ("the flag for architectural timestamps", Dump(flags=1).load(), ["arch-time"]),
    ("the flag for architectural timestamps, but times of the clock",
     Dump(flags=1, time=NOW - 2000000).load(time=NOW - 1000000), ["arch-time", "arch-time-wrong"]),
    ("no machine", Dump(mach=0).load(), ["machine-zero"]),
    ("padding that is not zero", Dump(pad=7).load(), ["header-pad"]),
    ("a header with wall-clock time", Dump(time=1795285365785018).load(), ["header-time"]),
    ("a pid in the header that differs from the file name's", Dump(pid=813).load(), ["pid-name"]),
    ("records of another process", Dump().load().load(b"g", 0x2000, pid=99), ["pid"]),
    ("an incomplete record of an unknown kind",
     Dump().load().record(77, b"", size=1000), ["corrupt"]),
    ("a size of 5", Dump().load().record(0, b"", size=5), ["corrupt"]),
    ("a cut record",
     Dump().load().raw(struct.pack("<IIQ", 0, 96, 1020) + b"\1" * 20), ["partial-tail"]),
    ("bytes at the end that can't begin a record",
     Dump().load().raw(struct.pack("<IIQ", 0, 96, 3) + b"\1" * 20),
     ["corrupt"]),
    ("a cut prefix", Dump().load().raw(b"\0" * 15), ["partial-tail"]),
    ("zeros at the end", Dump().load().raw(b"\0" * 4096), ["zero-tail"]),
    ("an unknown record", Dump().load().record(99, b"12345678"), ["unknown-id"]),
    ("an unknown record of 16 bytes", Dump().load().record(99, b""), ["size-16"]),
    ("a CLOSE record before other records",
     Dump().load().record(3, b"").load(b"g", 0x2000), ["close-early"]),
    ("a record whose time is before that of the previous record",
     Dump().load().load(b"g", 0x2000, time=3), ["time-backward"]),
    ("a record whose time is 1 ns before that of the previous record",
     Dump().load().load(b"g", 0x2000, time=1009), ["time-backward"]),
    ("a record with wall-clock time", Dump().load(time=1795285365785018000), ["time-wall"]),
    ("a time in the future", Dump().load(time=10 ** 17), ["time-future"]),
    ("a LOAD of 20 bytes", Dump().record(0, b"1234"), ["record-short"]),
    ("a name without a terminating NUL", Dump().load(b"abc", code=b"", nul=b""), ["load-name"]),
    ("a LOAD record without its code", Dump().load(code=b"", code_size=1024), ["load-no-code"]),
    ("a LOAD record with only part of its code",
     Dump().load(code=b"123", code_size=1024), ["load-no-code"]),
    ("extra bytes between name and code", Dump().load(slack=b"\0" * 7), ["load-slack"]),
    ("another vma", Dump().load(vma=0x77), ["load-vma"]),
    ("a vma that is higher than the code's address", Dump().load(vma=0x7777), ["load-vma"]),
    ("code that ends past the last address", Dump().load(addr=2 ** 64 - 4), ["load-addr"]),
    ("a code index that is used twice", Dump().load().load(b"g", 0x2000, index=0), ["load-index"]),
    ("code that overlaps half of older code", Dump().load().load(b"g", 0x1008), ["load-overlap"]),
    ("the same code at the same address again", Dump().load().load(b"g"), []),
    ("lines that precede code to which they do not belong",
     Dump().debug(CLOSED).load(b"g", 0x2000), ["debug-orphan"]),
    ("lines at the end, without code", Dump().load().debug(CLOSED), ["debug-orphan"]),
    ("lines twice", Dump().debug(CLOSED).debug(CLOSED).load(), ["debug-replaced"]),
    ("no lines", Dump().debug([]).load(), ["debug-empty"]),
    ("a larger number of lines than the record has",
     Dump().debug(CLOSED, n=3).load(), ["debug-overrun"]),
    ("2^64 - 1 lines", Dump().debug(CLOSED, n=2 ** 64 - 1).load(), ["debug-overrun"]),
    ("a file name that was read from freed memory",
     Dump().debug([(0x1000, 1, 1, b"\xf0\x91\1")] + CLOSED).load(),
     ["debug-garbage"]),
    ("8 bytes after the last line", Dump().debug(CLOSED, pad=b"\0" * 8).load(), ["debug-garbage"]),
    ("padding", Dump().debug(CLOSED, pad=b"\0" * 7).load(), []),
    ("lines backward", Dump().debug([(0x1008, 1, 1, b"a")] + CLOSED).load(), ["debug-backward"]),
    ("a line outside", Dump().debug(CLOSED + [(0x1011, 1, 1, b"a")]).load(), ["debug-outside"]),
    ("V8's addresses", v8().debug([(a + 0x40, *rest) for a, *rest in CLOSED]).load(),
     ["header-pad", "debug-shift"]),
    ("no closing entry", Dump().debug(CLOSED[:1]).load(), ["debug-closing"]),
    ("line 0", Dump().debug([(0x1000, 0, 1, b"a.js")] + CLOSED[1:]).load(), ["debug-line-0"]),
    ("a repeated file",
     Dump().debug(CLOSED[:1] + [(0x1010, 3, 1, b"\xff")]).load(), ["debug-repeat"]),
    ("nothing to repeat", Dump().debug([(0x1000, 3, 1, b"\xff")]).load(), ["debug-overrun"]),
    ("a larger size of unwind data than the record has",
     Dump().unwind(size=4096).load(), ["unwind-len"]),
    (".eh_frame_hdr larger than all unwind data",
     Dump().unwind(hdr_size=4096).load(), ["unwind-len"]),
    (".eh_frame_hdr before .eh_frame", Dump().unwind(hdr_first=True).load(), ["unwind-order"]),
    ("unwind data without .eh_frame_hdr", Dump().unwind(hdr=b"").load(), ["unwind-sticky"]),
    ("unwind data twice", Dump().unwind().unwind().load(), ["unwind-replaced"]),
    ("unwind data at the end, without code", Dump().load().unwind(), ["unwind-orphan"]),
    ("code whose mapped memory overlaps older code",
     Dump().load(b"g", 0x1020).unwind(mapped=80).load(),
     ["unwind-mapped"]),
    ("a MOVE record for unknown code", Dump().move(), ["move-unknown"]),
]
RULES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../inspect/jitdump/jd_check.h")
HARMLESS = {"header-pad", "header-time", "load-vma", "load-overlap", "debug-shift"}
