#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""perf.py jit|images|faults: tests the writer and `check` by the results of perf."""

import os
import re
import shutil
import struct
import subprocess
import sys

from jd import (CLOSE, DEBUG, IMAGE, JIT, LOAD, MOVE, Checks, folder, jitdump, name_of, read, records,
                skip, write)

HOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "hot.c")


class Perf:
    """Runs perf with a folder of its own; otherwise perf would copy each image to ~/.debug."""

    def __init__(self, path):
        self.path, self.data = path, os.path.join(path, "perf.data")

    def run(self, *args):
        return subprocess.run(["perf", "--buildid-dir", os.path.join(self.path, "ids"), *args],
                              capture_output=True, text=True, errors="replace", timeout=120,
                              stdin=subprocess.DEVNULL, check=False)

    def record(self, *command):
        return self.run("record", "-q", "-k", "1", "-e", "cpu-clock:u", "-F", "1999", "-o", self.data,
                        *command)

    def inject(self):
        """Runs perf inject; returns its exit status, and {symbol: (percent, {line: percent})} from
        perf report."""
        out = os.path.join(self.path, "injected.data")
        done = self.run("inject", "-j", "-i", self.data, "-o", out)
        found = {}
        if done.returncode == 0:
            report = self.run("report", "-i", out, "--stdio", "-F", "overhead,sym,srcline", "-g", "none")
            for percent, symbol, line in re.findall(r"^ +([0-9.]+)% +\[.\] (\S+) +(\S+)", report.stdout,
                                                    re.M):
                share, lines = found.get(symbol, (0, {}))
                lines[line] = float(percent)
                found[symbol] = (share + float(percent), lines)
        for name in os.listdir(self.path):
            if name.startswith("jitted-"):
                os.unlink(os.path.join(self.path, name))
        return done.returncode, found


def hottest(found, symbol):
    lines = found.get(symbol, (0, {}))[1]
    return max(lines, key=lines.get) if lines else None


def near(checks, found, symbol, percent, words):
    share = found.get(symbol, (0,))[0]
    checks.that(abs(share - percent) <= 10,
                f"{words}: the share of {symbol} is {percent} % of the samples, at most 10 points "
                "off: "
                f"{share:.0f} %")


def recorded(checks, path, *command):
    perf = Perf(path)
    done = perf.record(*command)
    dump = done.stdout.split("\n")[0]
    checks.that(done.returncode == 0 and os.path.isfile(dump),
                f"perf records {os.path.basename(command[0])}, and this program "
                "prints the path of a jitdump")
    return perf, dump, done.stdout


def test_jit(checks):
    """A sample at a reused address must belong to the function that was there at the sample's
    time."""
    with folder() as path:
        perf, dump, _ = recorded(checks, path, JIT, path, "12")
        status, found = perf.inject()
        checks.equal(status, 0, "perf inject accepts the jitdump")
        for symbol, percent, line in (("jit_ash", 66, 12), ("jit_birch", 17, 22), ("jit_cedar", 17, 32)):
            near(checks, found, symbol, percent, "a small JIT")
            checks.equal(hottest(found, symbol), f"{symbol}.jit:{line}",
                         f"most samples of {symbol} are in its hot line")
        note = perf.run("annotate", "--stdio", "-i", os.path.join(path, "injected.data"), "-s", "jit_ash")
        checks.that("jit_ash" in note.stdout or note.returncode,
                    "perf annotate finds the function jit_ash")
        done = jitdump("check", dump)
        checks.equal(done.returncode, 0, "`check` reports nothing: " + done.stdout.strip())


def test_images(checks):
    """perf must have names and lines for functions of an image, for each DWARF version and at
    another address."""
    with open(HOT, encoding="utf-8") as file:
        source = file.read().splitlines()
    line = {mark: n for n, text in enumerate(source, 1) for mark in re.findall(r"/\* (hot-\w+) \*/", text)}
    for compiler in ("gcc", "clang"):
        for version in (2, 3, 4, 5):
            with folder() as path:
                words = f"{compiler}, DWARF {version}"
                image = os.path.join(path, "hot.so")
                subprocess.run([compiler, "-shared", "-fPIC", "-O1", f"-gdwarf-{version}", "-o", image, HOT],
                               check=True)
                perf, dump, said = recorded(checks, path, IMAGE, path, image, "5", "p::")
                checks.that("lines 3 outside 0 overlapping 0 nameless 0 broken 0" in said,
                            f"{words}: the jitdump has lines of all three functions", quiet=True)
                status, found = perf.inject()
                checks.equal(status, 0, f"{words}: perf inject accepts the jitdump", quiet=True)
                for symbol, percent, mark in (("p::f", 66, "hot-f"),
                                              ("p::a_function_with_a_rather_long_name", 33, "hot-long")):
                    near(checks, found, symbol, percent, words)
                    checks.equal(hottest(found, symbol), f"hot.c:{line[mark]}",
                                 f"{words}: most samples of {symbol} are in its hot line")
                checks.equal(jitdump("check", "-q", dump).returncode, 0,
                             f"{words}: `check` reports nothing",
                             quiet=True)


def at(data, offset, form, value):
    form = "<" + form
    return data[:offset] + struct.pack(form, value) + data[offset + struct.calcsize(form):]


def each(data, change):
    """Replaces each record by change(kind, bytes)."""
    return data[:40] + b"".join(change(kind, record) for _, kind, record in records(data))


def timed(data, offset):
    return each(data, lambda kind, r: at(r, 8, "Q", struct.unpack_from("<Q", r, 8)[0] + offset))


def slack(kind, r):
    if kind != LOAD:
        return r
    end = r.index(b"\0", 56) + 1
    return at(r[:end] + b"\xcc" * 9 + r[end:], 4, "I", len(r) + 9)


def unclosed(kind, r):
    """Removes the last entry of each line table."""
    if kind != DEBUG:
        return r
    n, ends, place = struct.unpack_from("<Q", r, 24)[0], [], 32
    for _ in range(n):
        ends.append(place)
        place = r.index(b"\0", place + 16) + 1
    return at(at(r[:ends[-1]], 4, "I", ends[-1]), 24, "Q", n - 1)


def lines_late(data):
    """Moves each DEBUG_INFO record after its LOAD record."""
    late, debug = data[:40], b""
    for _, kind, record in records(data):
        if kind == DEBUG:
            debug = record
            continue
        late += record + (debug if kind == LOAD else b"")
    return late


def after(data, name, more):
    """Inserts @more after the LOAD record of the function @name."""
    return each(data, lambda kind, r: r + more if kind == LOAD and name_of(r) == name else r)


def prefix(kind, size, time=b"\0" * 8):
    return struct.pack("<II", kind, size) + time


ALL = {"jit_ash": 12, "jit_birch": 22, "jit_cedar": 32}
NO_CEDAR = {"jit_ash": 12, "jit_birch": 22}
WALL = 1_700_000_000_000_000_000

# (fault, function that adds it to a good file, exit status of perf inject, functions whose hot line
# perf has right, findings of check).
FAULTS = [
    ("nothing", lambda d: d, 0, ALL, []),
    ("three bytes missing at the end", lambda d: d[:-3], 0, NO_CEDAR,
     ["debug-orphan", "partial-tail"]),
    ("zeros at the end", lambda d: d + b"\0" * 4096, 0, ALL, ["zero-tail"]),
    ("an incomplete record", lambda d: d + prefix(0, 1 << 30, list(records(d))[-1][2][8:16]), 0, ALL, ["partial-tail"]),
    ("another magic", lambda d: b"abcd" + d[4:], 255, {}, None),
    ("version 2", lambda d: at(d, 4, "I", 2), 255, {}, ["header-version"]),
    ("version 0", lambda d: at(d, 4, "I", 0), 0, ALL, ["header-version"]),
    ("an unknown flag", lambda d: at(d, 32, "Q", 4), 255, {}, ["header-flags"]),
    ("the flag for architectural timestamps, which perf.data lacks",
     lambda d: at(d, 32, "Q", 1), 255, {},
     ["arch-time", "arch-time-wrong"]),
    ("a header of 48 bytes", lambda d: at(d, 8, "I", 48)[:40] + b"\0" * 8 + d[40:], 0, {},
     ["header-size"]),
    ("a header of 128 bytes", lambda d: at(d, 8, "I", 128)[:40] + b"\0" * 88 + d[40:], 255, {},
     ["header-size"]),
    ("wall-clock times", lambda d: timed(d, WALL), 0, {}, ["time-wall"]),
    ("times in the future", lambda d: timed(d, 10 ** 13), 0, {}, ["time-future"]),
    ("a CLOSE record before other records",
     lambda d: after(d, "jit_birch", prefix(CLOSE, 16)), 0, NO_CEDAR,
     ["close-early", "time-backward"]),
    ("an unknown record", lambda d: after(d, "jit_birch", prefix(99, 24) + b"12345678"), 0, ALL,
     ["time-backward", "unknown-id"]),
    ("an unknown record of 16 bytes", lambda d: after(d, "jit_birch", prefix(99, 16)), 0, NO_CEDAR,
     ["size-16", "time-backward"]),
    ("9 extra bytes before the code", lambda d: each(d, slack), 0, ALL, ["load-slack"] * 3),
    ("no closing entry", lambda d: each(d, unclosed), 0, ALL, ["debug-closing"] * 3),
    # With this fault, the lines of birch precede cedar, which is at the same address.
    ("lines after their code", lines_late, 0, {}, ["debug-orphan"] * 2),
]


# The faults that no tool can repair, because information is lost.
HOPELESS = ("another magic", "wall-clock times", "times in the future")


def check_repaired(checks, perf, dump, words, lines):
    """Checks that perf has all the lines right after repair, or that repair reports a hopeless
    fault."""
    done = jitdump("repair", "-q", dump, "-o", dump)
    if words in HOPELESS:
        checks.equal(done.returncode, 1,
                     f"{words}: `repair` reports that it can't restore the file")
        return
    status, found = perf.inject()
    right = {name: n for name, n in ALL.items() if hottest(found, name) == f"{name}.jit:{n}"}
    checks.equal((done.returncode, status, right), (0, 0, lines),
                 f"{words}: perf has all hot lines that `repair` can restore")


def test_faults(checks):
    """All faulty files are injected into one recording, as perf's result depends only on the
    jitdump."""
    with folder() as path:
        perf, dump, _ = recorded(checks, path, JIT, path, "8")
        good = read(dump)
        for words, change, want, lines, rules in FAULTS:
            write(dump, change(good))
            status, found = perf.inject()
            checks.equal(status, want, f"{words}: perf inject exits with {want}")
            right = {name: n for name, n in ALL.items() if hottest(found, name) == f"{name}.jit:{n}"}
            checks.equal(right, lines,
                         f"{words}: perf has the right hot lines of "
                         f"{', '.join(lines) or 'no function'}")
            done = jitdump("check", dump)
            said = re.findall(r"^\d+: (?:error|warning): ([a-z0-9-]+):", done.stdout, re.M)
            checks.equal(sorted(said) if rules is not None else done.returncode,
                         rules if rules is not None else 1, f"{words}: `check` reports the fault")
            check_repaired(checks, perf, dump, words, NO_CEDAR if "missing" in words else ALL)
        # As if two engines both numbered their code from 0.
        write(dump, each(good, lambda kind, r: at(r, 48, "Q", 0) if kind == LOAD else r))
        status, found = perf.inject()
        checks.that(status == 0 and {"jit_ash", "jit_birch"} - set(found),
                    "if all code has the same index, perf loses names")
        checks.that("load-index" in jitdump("check", dump).stdout,
                    "`check` reports the fault if all code has the same index")
        check_repaired(checks, perf, dump, "the same index for all code", ALL)
        moved = prefix(MOVE, 64, good[48:56]) + b"\0" * 48
        write(dump, good + moved)
        checks.that("move-unknown" in jitdump("check", dump).stdout,
                    "`check` reports a MOVE record for unknown code")


def main():
    checks = Checks()
    if not shutil.which("perf"):
        skip("perf is not installed")
    with folder() as path:
        if Perf(path).record("true").returncode:
            skip("perf can't record on this machine")
    {"jit": test_jit, "images": test_images, "faults": test_faults}[sys.argv[1]](checks)
    return checks.end()


raise SystemExit(main())
