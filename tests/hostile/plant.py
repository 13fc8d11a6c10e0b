#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""plant.py FOLDER PID NAME SEED: plants files under the names that `unspool record -p PID` and
`unspool capture` choose in FOLDER in the next 20 seconds: FIFOs with a reader, symbolic links, hard
links and files. Prints "planted", and at the end of its input the bytes that arrived in them."""

import os
import random
import sys
import time


def main():
    folder, pid, name, seed = sys.argv[1:]
    chance = random.Random(seed)
    os.chdir(folder)
    own = "taken"
    with open(own, "wb"):
        pass
    os.chmod(own, 0o666)
    fifos, now = [], int(time.time())
    for second in range(now, now + 20):
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
        for end in ("ndjson", "core.zst", "-1.ndjson"):
            path = f"unspool-{name}-{pid}-{stamp}" + (end if end[0] == "-" else "." + end)
            kind = chance.choice(["fifo", "link", "hard link", "dangling link", "fifo behind a link"])
            if kind.startswith("fifo"):
                at = path if kind == "fifo" else path + ".fifo"
                os.mkfifo(at, 0o666)
                fifos.append(os.open(at, os.O_RDONLY | os.O_NONBLOCK))
            if kind == "fifo behind a link":
                os.symlink(at, path)
            elif kind == "link":
                os.symlink(own, path)
            elif kind == "hard link":
                os.link(own, path)
            elif kind == "dangling link":
                os.symlink("new", path)
    print("planted", flush=True)
    sys.stdin.read()
    arrived = os.path.getsize(own) + (os.path.getsize("new") if os.path.exists("new") else 0)
    for fifo in fifos:
        try:
            arrived += len(os.read(fifo, 1 << 16))
        except BlockingIOError:
            pass
    print(arrived)


if __name__ == "__main__":
    main()
