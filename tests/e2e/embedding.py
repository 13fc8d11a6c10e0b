# SPDX-License-Identifier: BSD-2-Clause
"""Builds the example of docs/embedding against files installed in a new prefix, and compares the
example's stacks.

These stacks are compared with those of `unspool record` for the same process at the same time. The
example has no unwind rows, so the recorded program has frame pointers. The recorded program is also
stripped, so both recordings identify a frame by its offset in the file. A chain is the list of the
callers within the program, innermost first. The chain lacks the leaf, whose offset differs from
sample to sample.

embedding.py BUILD
"""

import collections
import os
import shutil
import subprocess
import sys

from lib import BUSY, TOP, Checks, folder, need_bpf, record, running

SECONDS = 4
COMMON = 0.05  # chains with at least this share of the samples in one recording must be in both


def built(build, work):
    """Builds the example in a copy of its folder, outside this tree."""
    prefix, example = os.path.join(work, "prefix"), os.path.join(work, "example")
    subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--tags", "devel",
                    "--destdir", prefix], check=True)
    shutil.copytree(os.path.join(TOP, "docs/embedding"), example)
    found = [root for root, _, files in os.walk(prefix) if "unspool-core.pc" in files]
    moved = found[0][:found[0].rindex("/lib")]
    done = subprocess.run(["make", "-s", "-C", example,
                           f"PKG_CONFIG=pkg-config --define-variable=prefix={moved}"],
                          env=dict(os.environ, PKG_CONFIG_PATH=found[0]), check=False)
    return os.path.join(example, "stacks") if done.returncode == 0 else None


def within(chain, module):
    """Returns the callers of the leaf, up to the first frame that is not in the module."""
    inside = []
    for name, off in chain:
        if name != module:
            break
        inside.append(off)
    return tuple(inside[1:])


def of_example(text, module):
    chains = collections.Counter()
    for line in text.splitlines():
        frames, count = line.rsplit(" ", 1)
        chain = [frame.rsplit("+", 1) for frame in reversed(frames.split(";"))]
        chains[within(chain, module)] += int(count)
    return chains


def of_profile(profile, module):
    chains = collections.Counter()
    for count, _, frames, _ in profile.samples():
        user = [f for f in frames if f["kind"] != "kernel"]
        chain = [(os.path.basename(f.get("module", "")), f.get("off")) for f in user]
        chains[within(chain, module)] += count
    return chains


def common(chains):
    return {c for c, n in chains.items() if n >= COMMON * sum(chains.values())}


def main():
    need_bpf()
    checks = Checks()
    with folder() as work:
        example = built(sys.argv[1], work)
        if not checks.that(example, "the example builds with only the installed files"):
            return checks.end()
        target = os.path.join(work, "target")
        subprocess.run(["strip", "-s", "-o", target, BUSY], check=True)
        with running([target], wait_for=b"running") as child, \
             running([example, str(child.pid), str(SECONDS)], text=True) as other:
            _, profile = record("-p", child.pid, "-d", SECONDS, hz=99,
                                out=os.path.join(work, "p.ndjson"))
            theirs = of_example(other.communicate(timeout=30)[0], "target")
        ours = of_profile(profile, "target")
        print(f"the example has {theirs.total()} samples with {len(theirs)} different chains, "
              f"and `record` has {ours.total()} samples with {len(ours)} different chains")
        checks.that(theirs.total() >= 60 and ours.total() >= 60,
                    "the example and `record` have at least 60 samples each")
        checks.that(max(map(len, common(ours)), default=0) >= 2,
                    "a frequent chain has at least two callers")
        checks.equal(common(theirs), common(ours),
                     "the example and `record` have the same frequent chains")
        checks.that(common(theirs) != {c[1:] for c in common(ours)},
                    "the comparison detects a missing caller")
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
