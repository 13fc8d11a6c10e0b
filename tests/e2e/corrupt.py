#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Overwrites words of a live heap while it is recorded. The profile must have reasons instead of
names, never a name that does not exist in the program, and the recorder must survive.

The test finds the interpreted frames on the stack of a spinning program and stops the program. The
test then overwrites words of the frames' JSFunctions and of objects reachable from these, and
restores the words later. If this crashes the program, the recording ends, too.
"""

import contextlib
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time

from lib import (TOP, UNSPOOL, Checks, Profile, at_once, folder, need_bpf, node, running,
                 version_of, wait_until)

SCRIPT = os.path.join(TOP, "fixtures/node/spin.js")
CHAIN = ["spin", "middle", "outer"]
# Byte offsets in V8 12.4 (Node.js 22): v8dbg_class_JSFunction__shared, ..._SharedFunctionInfo__
# name_or_scope_info and __script, ..._Script__source and __name.
SHARED, NAME, SCRIPT_OF, SOURCE, SCRIPT_NAME = 32, 16, 32, 8, 16
BAD_WORDS = (0, 1, 0xdeadbeef, 0xffffffffffffffff, 0x4141414141414141, 0x7fffffffffff, 0x1000 | 1,
             0xffffffff81000001)


class Memory:
    """A process's memory. Words are saved before they are overwritten, and can be restored."""

    def __init__(self, pid):
        self.pid, self.fd, self.old = pid, os.open(f"/proc/{pid}/mem", os.O_RDWR), {}

    def word(self, addr):
        return struct.unpack("<Q", os.pread(self.fd, 8, addr))[0]

    def spoil(self, addr, word):
        self.old.setdefault(addr, self.word(addr))
        os.pwrite(self.fd, struct.pack("<Q", word), addr)

    def restore(self):
        for addr, word in self.old.items():
            os.pwrite(self.fd, struct.pack("<Q", word), addr)
        self.old.clear()

    def functions(self):
        """Yields the untagged addresses of the JSFunctions of interpreted frames, innermost
        first."""
        with open(f"/proc/{self.pid}/maps", encoding="utf-8") as file:
            low, high = next(map(lambda x: int(x, 16), line.split()[0].split("-")) for line in file
                             if line.rstrip().endswith("[stack]"))
        words = struct.unpack(f"<{(high - low) // 8}Q", os.pread(self.fd, high - low, low))
        with open(f"/proc/{self.pid}/syscall", encoding="ascii") as file:
            sp = int(re.match(r"-1 (0x\w+)", file.read()).group(1), 16)
        for i in range((sp - low) // 8 + 5, len(words)):
            offset, array, argc, function, context = words[i - 5:i]
            if low + 8 * i < words[i] < high and offset & 0xffffffff == 0 and array & 3 == 1 \
                    and 0 < argc < 100 and function & 3 == 1 and context & 3 == 1:
                yield function - 1

    @contextlib.contextmanager
    def stopped(self):
        os.kill(self.pid, signal.SIGSTOP)
        while True:
            with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
            if state == "Z":
                raise ProcessLookupError
            if state == "T":
                break
            time.sleep(0.01)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)


def places(memory, functions):
    """Yields (object, address) of each word from which the recorder reads names and lines."""
    for function in functions:
        shared = memory.word(function + SHARED) - 1
        script = memory.word(shared + SCRIPT_OF) - 1
        scope = memory.word(shared + NAME) - 1
        yield function, function + SHARED
        yield shared, shared + NAME
        yield shared, shared + SCRIPT_OF
        yield script, script + SOURCE
        yield script, script + SCRIPT_NAME
        for slot in range(1, 12):
            yield scope, scope + 8 * slot
        source = memory.word(script + SOURCE) - 1
        yield source, source + 8  # hash and length of the string
        for start in (function, shared, script, scope):
            yield start, start  # the map


def spoil_all(memory, functions, generator, seconds):
    """Overwrites four words at a time for 50 ms. Returns these spans of time, [(from, to)] in ns of
    CLOCK_BOOTTIME."""
    spans, end = [], time.monotonic() + seconds
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < end:
            with memory.stopped():
                for base, place in generator.sample(list(places(memory, functions)), 4):
                    word = generator.choice((*BAD_WORDS, base | 1, generator.getrandbits(64)))
                    memory.spoil(place, word)
            start = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            time.sleep(0.05)
            spans.append((start, time.clock_gettime_ns(time.CLOCK_BOOTTIME)))
            with memory.stopped():
                memory.restore()
            time.sleep(0.02)
    return spans


SETTLED_NS = 300_000_000  # the recorder symbolizes a sample at most this long after taking it


def phases(profile, spans):
    """Yields for each sample: was it taken before all damage, was a word overwritten at its time,
    and its frames."""
    start = profile.lines[0]["start_boottime_ns"]
    for line in profile.of("samples"):
        frames = [profile.frames[i] for i in profile.stacks[line["stack"]]["frames"]]
        at = 0
        for delta in line["t"]:
            at += delta
            time_ns = start + at * 1000
            yield (time_ns < spans[0][0] - SETTLED_NS,
                   any(a <= time_ns <= b for a, b in spans), frames)


class Verdict:
    """Counts of samples, summed over all rounds."""

    def __init__(self):
        self.times = self.good = self.spoilt = self.nameless = 0
        self.strange = set()

    def add(self, profile, spans, forget=None):
        self.times += len(spans)
        known = {f["name"] for before, _, frames in phases(profile, spans) if before
                 for f in frames if "name" in f} - {forget}
        for _, in_span, frames in phases(profile, spans):
            js = [f for f in frames if f["kind"] == "js"]
            self.spoilt += in_span
            self.good += not in_span and [f.get("name") for f in js[:3]] == CHAIN
            self.nameless += in_span and any("reason" in f or not f.get("name") for f in js)
            self.strange |= {f["name"] for f in js if f.get("name") and f["name"] not in known}

    def say(self, check):
        print(f"words were overwritten {self.times} times; {self.spoilt} samples were taken while "
              "words "
              f"were overwritten, and {self.nameless} of these have a reason instead of a name; "
              f"{self.good} samples taken at other times are exact")
        check.that(self.good > 50, "names are exact while no word is overwritten")
        check.that(self.nameless > 20,
                   "more than 20 samples have a reason instead of a name while words are "
                   "overwritten")
        check.equal(self.strange, set(), "no sample has a name that the undamaged program lacks")


def partial(tmp):
    """Returns the content of the .partial file, b"" if there is none."""
    with contextlib.suppress(FileNotFoundError), open(os.path.join(tmp, ".p.ndjson.partial"), "rb") as file:
        return file.read()
    return b""


def one_round(check, verdict, binary, seed):
    with folder() as tmp, running([binary, "--jitless", SCRIPT], b"running",
                                  stderr=subprocess.DEVNULL) as child:
        out = os.path.join(tmp, "p.ndjson")
        memory = Memory(child.pid)
        with running([UNSPOOL, "record", "-q", "-F", "997", "-p", str(child.pid), "-o", out],
                     stderr=subprocess.DEVNULL) as recorder:
            wait_until(lambda: b'"samples"' in partial(tmp))
            time.sleep(1)  # samples before the damage determine the valid names
            with memory.stopped():
                functions = list(memory.functions())
            spans = spoil_all(memory, functions[:3], random.Random(seed), 3)
            died = child.poll() is not None
            time.sleep(0.5)
            if not died:
                check.equal(recorder.poll(), None,
                            f"round {seed}: the recorder still runs after the damage")
                recorder.send_signal(signal.SIGINT)
            check.equal(recorder.wait(20), 0, f"round {seed}: the recorder exits with 0"
                        + (" after the target crashed" if died else ""))
        os.close(memory.fd)
        profile = Profile(out)
        check.equal(profile.count(), profile.summary["samples"],
                    f"round {seed}: the profile contains every sample that the summary counts")
        with check.lock:
            verdict.add(profile, spans)
        control = Verdict()
        control.add(profile, spans, forget="spin")
        check.equal(control.strange, {"spin"},
                    f"round {seed}: the check detects the name of a function that the program "
                    "lacks")


def main():
    need_bpf()
    check, verdict = Checks(), Verdict()
    binary = node(version_of("22"))
    at_once(3, [lambda seed=seed: one_round(check, verdict, binary, seed) for seed in range(6)])
    verdict.say(check)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
