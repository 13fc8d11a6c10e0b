#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""crash.py [COUNT]: checks that a killed writer leaves complete records and at most a part of one
more record."""

import json
import random
import struct
import sys
import time

from jd import CRASH, DEBUG, LOAD, Checks, folder, jitdump, name_of, read, records, running, write

# Allowed: a partial record at the end, and orphans that belong to it.
ENDS = {"partial-tail", "debug-orphan", "unwind-orphan"}


def rules(path):
    done = jitdump("check", "--json", "--all", path)
    return {f["rule"] for f in map(json.loads, done.stdout.splitlines()) if f["severity"] != "note"}


def is_whole(data, max_size):
    """Returns whether the file has only records as the writer numbers and names them, and at the
    end at most the beginning of one more."""
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
    """Kills a writer after a while; returns check's findings in its file, and the file's bytes."""
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
        checks.that(not found - ENDS and is_whole(data, size),
                    f"a killed writer with {threads} threads and code of up to {size} bytes leaves "
                    f"whole records: {found}",
                    quiet=True)
    print(f"{count} writers were killed; {torn} files end with an incomplete record; "
          f"{bytes_written >> 20} MiB were written")
    checks.that(bytes_written > count * 1000,
                "the writers wrote more than 1000 bytes each on average")
    # Negative control: bytes are missing inside the file.
    with folder() as path:
        with running([CRASH, path, "1", "200"]) as child:
            dump = child.stdout.readline().decode().strip()
            time.sleep(0.05)
            child.kill()
            child.wait()
        data = read(dump)
        write(dump, data[:1000] + data[1010:])
        checks.that(is_whole(data, 200) and not is_whole(read(dump), 200) and rules(dump) - ENDS,
                    "`check` and is_whole() detect that ten bytes inside the file are missing")
    return checks.end()


raise SystemExit(main())
