#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests `unspool jitdump tail` with slow, restarting and real writers."""

import json
import os
import random
import subprocess
import threading
import time

from jd import CRASH, JIT, UNSPOOL, Checks, Dump, folder, jitdump, records, running, write


class Tail:
    """A running `jitdump tail`. The output lines of tail are stored with their times of arrival."""

    def __init__(self, *args):
        self.lines = []
        # pylint: disable=consider-using-with
        self.child = subprocess.Popen([UNSPOOL, "jitdump", "tail", "--json", *map(str, args)],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.collect)
        self.thread.start()

    def collect(self):
        for line in self.child.stdout:
            self.lines.append((time.monotonic(), json.loads(line)))

    def wait_for(self, count, seconds=20):
        end = time.monotonic() + seconds
        while len(self.lines) < count and time.monotonic() < end:
            time.sleep(0.01)
        return len(self.lines) >= count

    def end(self, stop=True):
        if stop:
            self.child.terminate()
        self.child.wait(timeout=30)
        self.thread.join()
        self.child.stdout.close()
        said = self.child.stderr.read()
        self.child.stderr.close()
        return said

    def names(self):
        return [line.get("name") for _, line in self.lines]


def test_pieces(checks, path):
    """Follows a file that grows in pieces which end inside records."""
    dump = Dump()
    for i in range(200):
        dump.debug([(i * 64, i + 1, 1, b"/src/a.js"), (i * 64 + 16, i + 1, 1, b"/src/a.js")], i * 64)
        dump.load(f"f{i}".encode(), i * 64)
    chance = random.Random(1)
    write(path, b"")
    tail = Tail(path)
    at = 0
    with open(path, "ab", buffering=0) as out:
        while at < len(dump.data):
            size = chance.randint(1, 700)
            out.write(dump.data[at:at + size])
            at += size
            time.sleep(0.002)
    tail.wait_for(200)
    checks.equal(tail.names(), [f"f{i}" for i in range(200)],
                 "`tail` lists each function once, in the order of the records")
    checks.equal([line.get("line") for _, line in tail.lines], list(range(1, 201)),
                 "`tail` lists each function with the function's line")
    checks.equal(tail.end(), "", "`tail` prints no warning")


def test_changes(checks, path):
    write(path, Dump().load(b"a").load(b"b", 0x2000))
    tail = Tail(path)
    tail.wait_for(2)
    write(path + "~", Dump().load(b"d", 0x2000).load(b"e", 0x3000))
    with open(path, "ab") as file:
        file.write(Dump().load(b"c").data[40:])
    os.rename(path + "~", path)
    checks.that(tail.wait_for(5),
                "`tail` reads a replaced file to the end and the new file from the start")
    write(path, Dump().load(b"f"))
    checks.that(tail.wait_for(6), "`tail` reads a truncated and rewritten file from its start")
    os.unlink(path)
    time.sleep(0.2)
    write(path, Dump().load(b"g"))
    checks.that(tail.wait_for(7), "`tail` reads a deleted and recreated file from its start")
    checks.equal((tail.names(), tail.end().count("starts again")), (list("abcdefg"), 3),
                 "`tail` lists all functions and reports each new file")
    hole = Dump().load(b"a").data
    write(path, hole + b"\0" * 100)
    tail = Tail(path)
    tail.wait_for(1)
    write(path, hole + Dump(time=0).load(b"b", 0x2000).data[40:])
    checks.that(tail.wait_for(2),
                "`tail` waits at the zeros of a preallocated file until records replace them")
    tail.end()
    write(path, hole + b"\7\0\0\0\7\0\0\0" + b"\7" * 64)
    tail = Tail(path, "-d", "300ms")
    checks.equal(tail.end(stop=False).count("the rest of the file"), 1,
                 "`tail` reports a corrupt record once")
    write(path, b"\x7fELF" + b"\0" * 60)
    checks.equal(jitdump("tail", path).returncode, 1, "`tail` refuses a file that is not a jitdump")


def test_process(checks, path):
    """Follows the small JIT by its pid, and checks that its code is listed while it runs."""
    with running([JIT, path, "12"]) as child:
        child.stdout.readline()
        tail = Tail("-p", child.pid)
        checks.that(tail.wait_for(2), "`tail -p` lists code while the process runs")
        first = len(tail.lines)
        child.wait()
    tail.end(stop=False)
    checks.equal((first, tail.names()), (2, ["jit_ash", "jit_birch", None, "jit_cedar"]),
                 "`tail -p` lists code until the process ends")
    checks.equal(tail.lines[2][1]["type"], "move", "`tail -p` lists a move of code")
    checks.equal([line.get("line") for _, line in tail.lines], [11, 21, None, 31],
                 "`tail -p` lists the lines of code")
    done = jitdump("tail", "-p", os.getpid())
    checks.that(done.returncode == 1 and "no jitdump" in done.stderr,
                "`tail -p` refuses a process without a jitdump")


def test_busy(checks, path):
    """Checks that all records are listed even if they are written at full speed."""
    with running([CRASH, path, "2", "2000"]) as child:
        dump = child.stdout.readline().decode().strip()
        tail = Tail("-p", child.pid)
        time.sleep(0.3)
    with open(dump, "rb") as file:
        want = [r for _, kind, r in records(file.read()) if kind == 0]
    tail.end(stop=False)
    checks.that(len(want) > 1000, f"the writers wrote more than 1000 functions: {len(want)}")
    checks.equal(len(tail.lines), len(want), "`tail -p` lists as many functions as were written")


def main():
    checks = Checks()
    with folder() as path:
        dump = os.path.join(path, "jit-812.dump")
        test_pieces(checks, dump)
        test_changes(checks, dump)
        test_process(checks, path)
    with folder() as path:
        test_busy(checks, path)
    return checks.end()


raise SystemExit(main())
