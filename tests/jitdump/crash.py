#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""crash.py [COUNT]: a killed writer leaves complete records and at most a part of one."""

import json
import random
import struct
import sys
import time

from jd import CRASH, DEBUG, LOAD, Checks, folder, jitdump, name_of, read, records, running, write

# A partial record at the end, and the records before it in its group.
ENDS = {"partial-tail", "debug-orphan", "unwind-orphan"}


def rules(path):
    done = jitdump("check", "--json", "--all", path)
    return {f["rule"] for f in map(json.loads, done.stdout.splitlines()) if f["severity"] != "note"}


def is_whole(data, max_size):
    """Records as the writer numbers and names them, then at most the begin of one more."""
    end = number = last = 0
    for at, kind, record in records(data):
        end, last = at + len(record), struct.unpack_from("<Q", record, 8)[0]
        if kind == LOAD:
            if struct.unpack_from("<Q", record, 48)[0] != number or not name_of(record).startswith("thread"):
                return False
            number += 1
        elif kind != DEBUG:
            return False
    tail = data[end or 40:]
    if len(tail) < 16:
        return True
    kind, size, when = struct.unpack_from("<IIQ", tail)
    return kind in (LOAD, DEBUG) and len(tail) < size < max_size + 200 and last <= when < last + 10 ** 9


def kill_one(threads, size, wait):
    """(findings of check in the file of a killed writer, the file)."""
    with folder() as path:
        with running([CRASH, path, str(threads), str(size)]) as child:
            dump = child.stdout.readline().decode().strip()
            time.sleep(wait)
            child.kill()
            child.wait()
        return rules(dump), read(dump)


def main():
    checks = Checks()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    kinds = [(threads, size) for threads in (1, 4) for size in (200, 5000, 300000)]
    chance = random.Random(1)
    torn = bytes_written = 0
    for i in range(count):
        threads, size = kinds[i % len(kinds)]
        found, data = kill_one(threads, size, chance.uniform(0.001, 0.03))
        torn += "partial-tail" in found
        bytes_written += len(data)
        checks.that(not found - ENDS and is_whole(data, size), f"killed with {threads} threads, up to {size} bytes: {found}",
                    quiet=True)
    print(f"{count} kills, {torn} files with a cut record at the end, {bytes_written >> 20} MiB written")
    checks.that(bytes_written > count * 1000, "the writers wrote records")
    # The negative control: a part is missing inside the file.
    with folder() as path:
        with running([CRASH, path, "1", "200"]) as child:
            dump = child.stdout.readline().decode().strip()
            time.sleep(0.05)
            child.kill()
            child.wait()
        data = read(dump)
        write(dump, data[:1000] + data[1010:])
        checks.that(is_whole(data, 200) and not is_whole(read(dump), 200) and rules(dump) - ENDS,
                    "ten bytes that are missing inside are found")
    return checks.end()


raise SystemExit(main())
