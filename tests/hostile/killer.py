#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""killer.py WORD: kills, for ever, every process with the name unspool-helper that this user may
kill and whose parent has WORD in its command line. Prints "running", and a line for each process
that it has killed."""

import os
import signal
import sys
import time


def parent_has(pid, word):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        parent = file.read().rpartition(")")[2].split()[1]
    with open(f"/proc/{parent}/cmdline", "rb") as file:
        return word.encode() in file.read()


def helpers(word):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                if file.read() == "unspool-helper\n" and parent_has(pid, word):
                    yield int(pid)
        except OSError:
            pass


def main():
    print("running", flush=True)
    while True:
        for pid in helpers(sys.argv[1]):
            try:
                os.kill(pid, signal.SIGKILL)
                print("killed", pid, flush=True)
            except OSError:
                pass
        time.sleep(0.005)


if __name__ == "__main__":
    main()
