#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""`unspool jitdump tail` beside slow, restarting and real writers."""

import json
import os
import random
import subprocess
import threading
import time

from jd import CRASH, JIT, UNSPOOL, Checks, Dump, folder, jitdump, records, running, write


class Tail:
    """Runs beside the test; its lines have their time of arrival."""

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
    """A file that grows by pieces that don't align with records."""
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
    checks.equal(tail.names(), [f"f{i}" for i in range(200)], "each once, in order")
    checks.equal([line.get("line") for _, line in tail.lines], list(range(1, 201)), "with its line")
    checks.equal(tail.end(), "", "no warning")


def test_changes(checks, path):
    write(path, Dump().load(b"a").load(b"b", 0x2000))
    tail = Tail(path)
    tail.wait_for(2)
    write(path + "~", Dump().load(b"d", 0x2000).load(b"e", 0x3000))
    with open(path, "ab") as file:
        file.write(Dump().load(b"c").data[40:])
    os.rename(path + "~", path)
    checks.that(tail.wait_for(5), "a replaced file is read to its end, the new one from its start")
    write(path, Dump().load(b"f"))
    checks.that(tail.wait_for(6), "one that was cut, too")
    os.unlink(path)
    time.sleep(0.2)
    write(path, Dump().load(b"g"))
    checks.that(tail.wait_for(7), "and one that was deleted and recreated")
    checks.equal((tail.names(), tail.end().count("starts again")), (list("abcdefg"), 3), "each new file is read from its start")
    hole = Dump().load(b"a").data
    write(path, hole + b"\0" * 100)
    tail = Tail(path)
    tail.wait_for(1)
    write(path, hole + Dump(time=0).load(b"b", 0x2000).data[40:])
    checks.that(tail.wait_for(2), "zeros of a preallocated file are not read as records")
    tail.end()
    write(path, hole + b"\7\0\0\0\7\0\0\0" + b"\7" * 64)
    tail = Tail(path, "-d", "300ms")
    checks.equal(tail.end(stop=False).count("the rest of the file"), 1, "a corrupt record is reported once")
    write(path, b"\x7fELF" + b"\0" * 60)
    checks.equal(jitdump("tail", path).returncode, 1, "what is no jitdump is refused")


def test_process(checks, path):
    """The small JIT by its pid; its code is listed while it runs."""
    with running([JIT, path, "12"]) as child:
        child.stdout.readline()
        tail = Tail("-p", child.pid)
        checks.that(tail.wait_for(2), "code of a live process")
        first = len(tail.lines)
        child.wait()
    tail.end(stop=False)
    checks.equal((first, tail.names()), (2, ["jit_ash", "jit_birch", None, "jit_cedar"]), "to its end")
    checks.equal(tail.lines[2][1]["type"], "move", "including moved code")
    checks.equal([line.get("line") for _, line in tail.lines], [11, 21, None, 31], "with lines")
    done = jitdump("tail", "-p", os.getpid())
    checks.that(done.returncode == 1 and "no jitdump" in done.stderr, "a process without a jitdump")


def test_busy(checks, path):
    """All records of the file are listed, at any speed."""
    with running([CRASH, path, "2", "2000"]) as child:
        dump = child.stdout.readline().decode().strip()
        tail = Tail("-p", child.pid)
        time.sleep(0.3)
    with open(dump, "rb") as file:
        want = [r for _, kind, r in records(file.read()) if kind == 0]
    tail.end(stop=False)
    checks.that(len(want) > 1000, f"{len(want)} functions were written")
    checks.equal(len(tail.lines), len(want), "and as many were listed")


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
