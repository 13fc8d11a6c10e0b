#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""faults.py [--self-test|--live] [--most N] [--sanitized] [-k WORD]: injects one fault at a time.

In the case tools and the loader's commands every allocation and every system call fails once (in
the n-th run the n-th), and every call that a signal can end is interrupted once. trial.py defines
the conditions that must hold.

  --self-test   a correct program passes, and each faulty one is detected
  --live        the commands that inspect this machine, beside a busy program
  --most N      number of faults of a kind for each command, drawn at random; 0: all
  --sanitized   the binaries are built with -Db_sanitize=address,undefined
"""

import argparse
import concurrent.futures
import os
import signal
import sys
import tempfile

import commands
from trial import Trial

MOST = 15  # faults of a kind for each command
MOST_LIVE = 2  # each takes a second
AT_ONCE = 4  # number of live commands that run in parallel; they mostly wait
FAULTY = {"crash": "allocations", "leak": "calls", "half": "calls", "litter": "calls",
          "silent": "calls", "late": "calls", "mute": "calls", "noisy": "calls",
          "odd": "allocations", "hang": "calls"}


def try_command(command, folder, is_sanitized, most):
    """Tests a command with one fault at a time; returns whether it passed. Prints equal messages
    only once."""
    n_runs, found = 0, set()
    for kind, n, failed, wrong in Trial(command, folder, is_sanitized).all(most):
        n_runs += 1
        for what in set(wrong) - found:
            print(f"FAILED: {command.name}, with {failed} failing ({kind} {n}): {what}",
                  flush=True)
        found |= set(wrong)
    print(f"{command.name}: {n_runs} faults were injected and caused {len(found)} different errors",
          flush=True)
    return not found


def is_caught(how, folder, is_sanitized):
    """Tests the program with the fault `how`; returns whether the fault was found, or whether the
    correct program passed."""
    n_runs, found = 0, {}
    for kind, n, failed, wrong in Trial(commands.faulty(how, folder), folder, is_sanitized).all(0):
        n_runs += 1
        if wrong:
            found.setdefault(kind, []).append((n, failed, wrong))
    if FAULTY[how] in found if how in FAULTY else not found and n_runs > 15:
        return True
    print(f"FAILED: the errors in {n_runs} runs of the program '{how}' are not as expected: "
          f"{found}")
    return False


def try_all(made, folder, options, most):
    """Tests all commands, live ones in parallel; returns for each whether it passed."""
    def try_one(i, command):
        own = os.path.join(folder, str(i))
        os.mkdir(own)
        return try_command(command, own, options.sanitized, most)

    chosen = [command for command in made if options.k in command.name]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE if options.live else 1) as pool:
        return list(pool.map(try_one, range(len(chosen)), chosen))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--self-test", "--live", "--sanitized"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--most", type=int, metavar="N")
    parser.add_argument("-k", metavar="WORD", default="")
    options = parser.parse_args()
    most = options.most
    if most is None:
        most = MOST_LIVE if options.live else MOST
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the exit ends all child processes
    with tempfile.TemporaryDirectory(prefix="unspool-inject-") as folder:
        if options.self_test:
            held = [is_caught(how, folder, options.sanitized) for how in ("well", *FAULTY)]
        else:
            with commands.made(folder, options.live) as made:
                held = try_all(made, folder, options, most)
    print(f"{sum(held)} passed, {len(held) - sum(held)} failed")
    return 0 if held and all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
