# SPDX-License-Identifier: BSD-2-Clause
"""Functions shared by the tests of hostile targets: attacks that run as another user, and a
well-behaved Node.js beside them, whose samples must stay complete and named."""

import contextlib
import itertools
import os
import random
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../e2e"))

from bounds import most_misses, reaches  # noqa: E402
from lib import TOP, node, running, version_of  # noqa: E402
from matrix import judges_of  # noqa: E402
from tally import Figures, Tally  # noqa: E402

NOBODY = 65534  # user and group of attacks
KNOWN = os.path.join(TOP, "fixtures/node/known")
BESIDE = ["calls", "mutual"]  # programs of fixtures/node/known
GOALS = {"complete": 99.5, "names": 99.9}


def programs(*names):
    """The paths of attack programs, which meson builds into one folder."""
    return [os.path.join(os.environ["UNSPOOL_HOSTILE"], name) for name in names]


def seeds(argv, most=1):
    """Returns the seeds of the variants of an attack: those in @argv, else the first @most."""
    return [int(seed) for seed in argv] or list(range(1, most + 1))


def chooser(attack, seed):
    return random.Random(f"{attack} {seed}")


def install(folder, *paths):
    """Copies programs to a folder in which every user can execute them; returns the new paths."""
    os.chmod(folder, 0o755)
    return [shutil.copy(path, folder) for path in paths]


@contextlib.contextmanager
def attacking(argv, wait_for=None, in_namespace=False, **options):
    """Starts an attack as an unprivileged user; with @in_namespace, as root of a user namespace with
    its own mounts."""
    if in_namespace:
        argv = ["unshare", "--user", "--map-root-user", "--mount", *argv]
    argv = ["nice", "-n", "19", *argv]  # attacks on the recorder, not on the CPU
    with running(argv, wait_for, user=NOBODY, group=NOBODY, extra_groups=[], **options) as child:
        yield child


@contextlib.contextmanager
def beside():
    """Starts a well-behaved Node.js, which must stay complete and named."""
    argv = [node(version_of("24")), os.path.join(KNOWN, "run.js"), "20000", *BESIDE]
    with running(argv, b"running") as child:
        time.sleep(1)  # until its functions are compiled
        yield child


def late(profile, from_s):
    """Leaves out the samples before a time, when the recorder still loads unwind rows."""
    for line in profile.of("samples"):
        times = [t for t in itertools.accumulate(line["t"]) if t >= from_s * 1e6]
        line["count"], line["t"] = len(times), times
    return profile


def judge_beside(check, label, profile, pid, without=None):
    """The samples of a well-behaved process are complete and named, or nearly as many as in the
    profile @without an attack, because the machine may be loaded."""
    tallies = [Tally(judges_of(BESIDE), p, pid) for p in (profile, without) if p]
    figures = [Figures([tally]) for tally in tallies]
    for name, goal in GOALS.items():
        n, *_ = [tally.samples if name == "complete" else tally.n for tally in tallies]
        goal = min([goal, *[f.percent[name] - 0.2 for f in figures[1:]]])
        right = round(n * figures[0].percent[name] / 100)
        check.that(n > 50 and reaches(right, n, goal),
                   f"{label}: of {n} samples of the Node.js beside the attack, at most "
                   f"{most_misses(n, goal)} miss the goal for {name}, {goal:.1f} %: "
                   f"{n - right} miss it")
