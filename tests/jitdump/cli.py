#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests `unspool jitdump dump` and `check` with files that Unspool did not write."""

import json
import mmap
import os
import re

from faulty import HARMLESS, RULES, TABLE, whole
from jd import Checks, Dump, folder, jitdump, write

ORDERS = {"little": "<", "big": ">"}
MACHINES = (62, 183, 243)


def test_records(checks, path):
    for words, order in ORDERS.items():
        for mach in MACHINES:
            write(path, whole(order, mach))
            done = jitdump("dump", "--json", "--lines", path)
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            head, records = lines[0], lines[1:]
            checks.equal((done.returncode, head["machine"], head["pid"]), (0, mach, 812),
                         f"`dump` prints the header of a {words}-endian file for machine {mach}")
            checks.equal([r["type"] for r in records],
                         ["unwinding_info", "load", "debug_info", "unwinding_info", "load", "move",
                          "load", "close"], "`dump` prints the kind of each record")
            checks.equal([(r["name"], r["addr"], r["code_size"], r["index"], r["tid"])
                          for r in records if r["type"] == "load"],
                         [("plain", "0x1000", 16, 0, 7), ("lines", "0x2000", 16, 1, 7),
                          ("", "0x5000", 0, 2, 7)], "`dump` prints name, address, size and index "
                                                    "of each code")
            checks.equal([(e["addr"], e["file"], e["line"], e["column"]) for e in records[2]["entries"]],
                         [("0x2000", "/src/a.js", 3, 7), ("0x2008", "/src/b.js", 4, 1),
                          ("0x2010", "/src/b.js", 4, 1)], "`dump` prints the lines of code")
            checks.equal((records[5]["from"], records[5]["to"]), ("0x1000", "0x3000"), "a move")
            checks.equal((records[0]["eh_frame"], records[0]["eh_frame_hdr"]), (12, 20), "unwind data")


def test_rules(checks, path):
    seen = set()
    for words, dump, rules in TABLE:
        write(path, dump)
        done = jitdump("check", "--json", path)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        checks.equal(sorted(f["rule"] for f in found), sorted(rules),
                     f"`check` reports {', '.join(rules) or 'nothing'} for: {words}")
        checks.equal(done.returncode, 1 if set(rules) - HARMLESS else 0,
                     f"`check` exits with the right status for: {words}")
        checks.that(all(f["cure"] and f["off"] <= len(dump.data) for f in found),
                    "each finding of `check` has an offset in the file and a remedy",
                    quiet=True)
        seen |= set(rules)
    write(path, Dump().load())
    other = os.path.join(os.path.dirname(path), "other.dump")
    os.rename(path, other)
    done = jitdump("check", "--json", other)
    checks.equal(json.loads(done.stdout)["rule"], "file-name",
                 "`check` reports a file name that perf does not accept")
    with open(RULES, encoding="utf-8") as file:
        rules = set(re.findall(r'X\([A-Z0-9_]+, (?:NOTE|WARNING|ERROR), "([a-z0-9-]+)"', file.read()))
    own = write(os.path.join(os.path.dirname(path), f"jit-{os.getpid()}.dump"), Dump(pid=os.getpid()).load())
    with open(own, "r+b") as file:
        found = [json.loads(line)["rule"] for line in jitdump("check", "--json", own).stdout.splitlines()]
        checks.equal(found, ["marker"],
                     "`check` reports that the file's writer lives but has not mapped the file")
        with mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC):
            checks.equal(jitdump("check", own).returncode, 0,
                         "`check` reports nothing if the file's writer lives and has mapped the "
                         "file")
    checks.equal(rules - seen, {"file-name", "marker"},
                 "each rule that `check` knows is broken by one of the test's files")


def test_text(checks, path):
    write(path, Dump().load(b"a\x1b[31m\nb").load(index=0))
    done = jitdump("check", path)
    checks.that("load-index" in done.stdout and "2 records: 1 errors" in done.stdout,
                "`check` prints findings and their number as text")
    done = jitdump("dump", path)
    checks.that("\x1b" not in done.stdout and len(done.stdout.splitlines()) == 3,
                "`dump` escapes control characters in names")
    for data, words in ((b"", "shorter"), (b"\x7fELF" + b"\0" * 60, "not a jitdump")):
        write(path, data)
        for word in ("dump", "check"):
            done = jitdump(word, path)
            checks.that(done.returncode == 1 and words in done.stderr and
                        len(done.stderr.splitlines()) == 1, f"`{word}` refuses the file and prints "
                                                            f"{words!r}")
    os.unlink(path)
    os.mkfifo(path)
    checks.equal(jitdump("check", path).returncode, 1,
                 "`check` refuses a FIFO without waiting for a writer")
    for args in ((), ("nonsense", path), ("check",), ("check", path, path), ("dump", "--nonsense", path)):
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
