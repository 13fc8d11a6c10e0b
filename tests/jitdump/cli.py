#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`unspool jitdump dump` and `check` over files that were made by another hand."""

import json
import os
import re
import time

from jd import Checks, Dump, folder, jitdump, write

ORDERS = {"little": "<", "big": ">"}
MACHINES = (62, 183, 243)
NOW = time.monotonic_ns()
CLOSED = [(0x1000, 3, 1, b"a.js"), (0x1010, 3, 1, b"a.js")]


def whole(order, mach):
    """One of each record, all well."""
    return (Dump(order, mach).unwind().load(b"plain").debug([(0x2000, 3, 7, b"/src/a.js"),
            (0x2008, 4, 1, b"/src/b.js"), (0x2010, 4, 1, b"/src/b.js")], addr=0x2000)
            .unwind().load(b"lines", 0x2000).move().load(b"", 0x5000, b"").record(3, b""))


def test_records(checks, path):
    for words, order in ORDERS.items():
        for mach in MACHINES:
            write(path, whole(order, mach))
            done = jitdump("dump", "--json", "--lines", path)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            head, records = lines[0], lines[1:]
            checks.equal((done.returncode, head["machine"], head["pid"]), (0, mach, 812),
                         f"{words} endian, machine {mach}: the header")
            checks.equal([r["type"] for r in records],
                         ["unwinding_info", "load", "debug_info", "unwinding_info", "load", "move",
                          "load", "close"], "each record by its kind")
            checks.equal([(r["name"], r["addr"], r["code_size"], r["index"], r["tid"])
                          for r in records if r["type"] == "load"],
                         [("plain", "0x1000", 16, 0, 7), ("lines", "0x2000", 16, 1, 7),
                          ("", "0x5000", 0, 2, 7)], "code with name, place and number")
            checks.equal([(e["addr"], e["file"], e["line"], e["column"]) for e in records[2]["entries"]],
                         [("0x2000", "/src/a.js", 3, 7), ("0x2008", "/src/b.js", 4, 1),
                          ("0x2010", "/src/b.js", 4, 1)], "lines")
            checks.equal((records[5]["from"], records[5]["to"]), ("0x1000", "0x3000"), "a move")
            checks.equal((records[0]["eh_frame"], records[0]["eh_frame_hdr"]), (12, 20), "unwind data")


def v8(**options):
    return Dump(pad=0xDEADBEEF, **options)


# What is wrong, the file, the rules that find it. Notes are named as well.
TABLE = [
    ("nothing is wrong", whole("<", 62), []),
    ("nothing is wrong in the other byte order", whole(">", 183), []),
    ("version 2", Dump(version=2).load(), ["header-version"]),
    ("a longer header", Dump(size=48).raw(b"\0" * 8).load(), ["header-size"]),
    ("an unknown flag", Dump(flags=4).load(), ["header-flags"]),
    ("ticks for times", Dump(flags=1).load(), ["arch-time"]),
    ("the clock's times, said to be ticks",
     Dump(flags=1, time=NOW - 2000000).load(time=NOW - 1000000), ["arch-time", "arch-time-wrong"]),
    ("no machine", Dump(mach=0).load(), ["machine-zero"]),
    ("padding that is not zero", Dump(pad=7).load(), ["header-pad"]),
    ("a header of the wall's time", Dump(time=1795285365785018).load(), ["header-time"]),
    ("another pid than the name's", Dump(pid=813).load(), ["pid-name"]),
    ("records of another process", Dump().load().load(b"g", 0x2000, pid=99), ["pid"]),
    ("a size of 5", Dump().load().record(0, b"", size=5), ["corrupt"]),
    ("a cut record", Dump().load().raw(b"\0\0\0\0\x60\0\0\0" + b"\1" * 20), ["partial-tail"]),
    ("a cut prefix", Dump().load().raw(b"\0" * 15), ["partial-tail"]),
    ("zeros at the end", Dump().load().raw(b"\0" * 4096), ["zero-tail"]),
    ("an unknown record", Dump().load().record(99, b"12345678"), ["unknown-id"]),
    ("an unknown record of 16 bytes", Dump().load().record(99, b""), ["size-16"]),
    ("CLOSE in the middle", Dump().load().record(3, b"").load(b"g", 0x2000), ["close-early"]),
    ("time that goes back", Dump().load().load(b"g", 0x2000, time=3), ["time-backward"]),
    ("the wall's time", Dump().load(time=1795285365785018000), ["time-wall"]),
    ("time ahead", Dump().load(time=10 ** 17), ["time-future"]),
    ("a LOAD of 20 bytes", Dump().record(0, b"1234"), ["record-short"]),
    ("a name that does not end", Dump().load(b"abc", code=b"", nul=b""), ["load-name"]),
    ("code that is not there", Dump().load(code=b"", code_size=1024), ["load-no-code"]),
    ("code that is partly there", Dump().load(code=b"123", code_size=1024), ["load-no-code"]),
    ("bytes between name and code", Dump().load(slack=b"\0" * 7), ["load-slack"]),
    ("another vma", Dump().load(vma=0x77), ["load-vma"]),
    ("code past the last address", Dump().load(addr=2 ** 64 - 4), ["load-addr"]),
    ("a number twice", Dump().load().load(b"g", 0x2000, index=0), ["load-index"]),
    ("code over half of other code", Dump().load().load(b"g", 0x1008), ["load-overlap"]),
    ("code again at its place", Dump().load().load(b"g"), []),
    ("lines for other code", Dump().debug(CLOSED).load(b"g", 0x2000), ["debug-orphan"]),
    ("lines at the end", Dump().load().debug(CLOSED), ["debug-orphan"]),
    ("lines twice", Dump().debug(CLOSED).debug(CLOSED).load(), ["debug-replaced"]),
    ("no lines", Dump().debug([]).load(), ["debug-empty"]),
    ("more lines than there are", Dump().debug(CLOSED, n=3).load(), ["debug-overrun"]),
    ("2^64 - 1 lines", Dump().debug(CLOSED, n=2 ** 64 - 1).load(), ["debug-overrun"]),
    ("a name of freed memory", Dump().debug([(0x1000, 1, 1, b"\xf0\x91\1")] + CLOSED).load(),
     ["debug-garbage"]),
    ("bytes left over", Dump().debug(CLOSED, pad=b"\0" * 8).load(), ["debug-garbage"]),
    ("padding", Dump().debug(CLOSED, pad=b"\0" * 7).load(), []),
    ("lines backward", Dump().debug([(0x1008, 1, 1, b"a")] + CLOSED).load(), ["debug-backward"]),
    ("a line outside", Dump().debug(CLOSED + [(0x1011, 1, 1, b"a")]).load(), ["debug-outside"]),
    ("V8's addresses", v8().debug([(a + 0x40, *rest) for a, *rest in CLOSED]).load(),
     ["header-pad", "debug-shift"]),
    ("no closing entry", Dump().debug(CLOSED[:1]).load(), ["debug-closing"]),
    ("line 0", Dump().debug([(0x1000, 0, 1, b"a.js")] + CLOSED[1:]).load(), ["debug-line-0"]),
    ("a repeated file", Dump().debug(CLOSED[:1] + [(0x1010, 3, 1, b"\xff")]).load(), ["debug-repeat"]),
    ("nothing to repeat", Dump().debug([(0x1000, 3, 1, b"\xff")]).load(), ["debug-overrun"]),
    ("more unwind data than bytes", Dump().unwind(size=4096).load(), ["unwind-len"]),
    ("a header larger than the data", Dump().unwind(hdr_size=4096).load(), ["unwind-len"]),
    ("the header first", Dump().unwind(hdr_first=True).load(), ["unwind-order"]),
    ("unwind data without header", Dump().unwind(hdr=b"").load(), ["unwind-sticky"]),
    ("unwind data twice", Dump().unwind().unwind().load(), ["unwind-replaced"]),
    ("unwind data at the end", Dump().load().unwind(), ["unwind-orphan"]),
    ("an image that grows over code", Dump().load(b"g", 0x1020).unwind(mapped=80).load(),
     ["unwind-mapped"]),
    ("a move of nothing", Dump().move(), ["move-unknown"]),
]
RULES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../inspect/jitdump/jd_check.h")
HARMLESS = {"header-pad", "header-time", "load-vma", "load-overlap", "debug-shift"}


def test_rules(checks, path):
    seen = set()
    for words, dump, rules in TABLE:
        write(path, dump)
        done = jitdump("check", "--json", path)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        checks.equal(sorted(f["rule"] for f in found), sorted(rules), f"{words}: {', '.join(rules) or 'fine'}")
        checks.equal(done.returncode, 1 if set(rules) - HARMLESS else 0, f"{words}: its exit status")
        checks.that(all(f["cure"] and f["off"] <= len(dump.data) for f in found), "a place and a cure",
                    quiet=True)
        seen |= set(rules)
    write(path, Dump().load())
    other = os.path.join(os.path.dirname(path), "other.dump")
    os.rename(path, other)
    done = jitdump("check", "--json", other)
    checks.equal(json.loads(done.stdout)["rule"], "file-name", "a name that perf does not take")
    with open(RULES, encoding="utf-8") as file:
        rules = set(re.findall(r'X\([A-Z0-9_]+, (?:NOTE|WARNING|ERROR), "([a-z0-9-]+)"', file.read()))
    checks.equal(rules - seen, {"file-name"}, "each rule has a file that breaks it")


def test_text(checks, path):
    write(path, Dump().load(b"a\x1b[31m\nb").load(index=0))
    done = jitdump("check", path)
    checks.that("load-index" in done.stdout and "2 records: 1 errors" in done.stdout, "findings as text")
    done = jitdump("dump", path)
    checks.that("\x1b" not in done.stdout and len(done.stdout.splitlines()) == 3, "names are escaped")
    for data, words in ((b"", "shorter"), (b"\x7fELF" + b"\0" * 60, "no jitdump")):
        write(path, data)
        for word in ("dump", "check"):
            done = jitdump(word, path)
            checks.that(done.returncode == 1 and words in done.stderr and
                        len(done.stderr.splitlines()) == 1, f"{word} of what is {words}")
    os.unlink(path)
    os.mkfifo(path)
    checks.equal(jitdump("check", path).returncode, 1, "a FIFO is refused and not waited for")
    for args in ((), ("chek", path), ("check",), ("check", path, path), ("dump", "--nonsense", path)):
        checks.equal(jitdump(*args).returncode, 2, f"usage: {' '.join(args)[:30]}")


def main():
    checks = Checks()
    with folder() as at:
        path = os.path.join(at, "jit-812.dump")
        test_records(checks, path)
        test_rules(checks, path)
        test_text(checks, path)
    return checks.end()


raise SystemExit(main())
