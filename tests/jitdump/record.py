#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""record.py: checks that `unspool record` symbolizes JIT-compiled code by the jitdump or perf map
that is valid at the time of a sample, and ignores files that may be of another process."""

import contextlib
import glob
import os
import re
import signal
import sys
import time

from jd import JIT, UNSPOOL, Checks, folder, read, running
from lib import Profile, need_bpf, node, record, version_of

TARGET = os.path.join(os.path.dirname(os.path.realpath(__file__)), "target.py")

# For each case: names of frames before and after the file is changed. REASONS: why names are
# missing.
NONE = {None}
NAMED = {
    "map-plain": ({"before"}, {"before"}), "map-0x": ({"before"}, {"before"}),
    "map-names": ({"two words \ufffd\x1b[31m"},) * 2, "map-newline": ({"before"}, {"before"}),
    "map-overlap": ({"before"}, {"before"}), "map-many": ({"before"}, {"before"}),
    "map-long": ({"before" + "e" * 1018}, {"before" + "e" * 1018}), "map-sizes": ({"before"}, {"before"}),
    "map-again": ({"before"}, {"after"}), "map-in-place": ({"before"}, {"after!"}),
    "map-replaced": ({"before"}, {"after!"}), "map-cut": ({"before"}, NONE),
    "map-deleted": ({"before"}, {"before"}), "map-namespace": ({"before"}, {"before"}),
    "map-of-another": (NONE, NONE), "map-stale": (NONE, NONE), "map-fifo": (NONE, NONE),
    "map-symlink": (NONE, NONE), "map-folder": (NONE, NONE),
    "dump-plain": ({"before"}, {"before"}), "dump-again": ({"before"}, {"after"}),
    "dump-cut": ({"before"}, {"after"}), "dump-deleted": ({"before"}, {"after"}),
    "dump-renamed": ({"before"}, {"after"}), "dump-zeros": ({"before"}, {"before"}),
    "dump-garbage": ({"before"}, {"before"}), "dump-huge": ({"before"}, {"before"}),
    "dump-future": ({"before"}, {"after"}), "dump-other-pid": ({"before"}, {"before"}),
    "dump-fork": ({"before"}, {"after"}), "dump-child": ({"before"}, {"before"}),
    "dump-namespace": ({"before"}, {"before"}),
}
REASONS = {"map-of-another": "perf map of another user", "map-stale": "perf map of an earlier process",
           "map-fifo": "perf map not a regular file", "map-symlink": "perf map not a regular file",
           "map-folder": "perf map not a regular file"}
WRITTEN_ANEW = {"map-in-place", "map-replaced", "map-cut", "dump-cut"}
SPARE_US = 600000  # not judged around a change, which the recorder notices at the next sample


def test_jit(checks):
    with folder() as path:
        done, profile = record("--", JIT, path, "12", out=os.path.join(path, "p.ndjson"))
        checks.equal(done.returncode, 0, f"the recording of the small JIT succeeds: {done.stderr}")
        times = {}
        for _, stack, frames, line in profile.samples():
            leaf = next((f for f in frames if f["kind"] == "jit"), None)
            if not leaf:
                continue
            times.setdefault((leaf.get("name"), leaf.get("file"), leaf.get("line")), []).extend(
                sum(line["t"][:i + 1]) for i in range(len(line["t"])))
            above = [f.get("name") for f in frames[frames.index(leaf) + 1:]]
            if stack.get("reason") == "guessed frame":
                times.setdefault("main", []).append("main" in above)
        n = sum(len(t) for key, t in times.items() if key != "main")
        for name, line, percent in (("jit_ash", 12, 66), ("jit_birch", 22, 17), ("jit_cedar", 32, 17)):
            had = times.get((name, f"/src/{name}.jit", line), [])
            checks.that(abs(100 * len(had) / n - percent) < 8,
                        f"line {line} of {name} has {percent} % of the samples, at most 8 points "
                        "off: "
                        f"{len(had)} of {n}")
        birch, cedar = (times[(name, f"/src/{name}.jit", line)] for name, line in (("jit_birch", 22),
                                                                                  ("jit_cedar", 32)))
        checks.that(max(birch) < min(cedar),
                    "all samples of jit_birch precede those of jit_cedar, which has the same "
                    "address")
        checks.that(len(times) <= 7,
                    "samples have at most 7 different functions and lines: "
                    f"{[k for k in times if k != 'main']}")
        checks.that(times.get("main") and all(times["main"]),
                    "all guessed stacks of JIT-compiled code have the caller main")


def test_node(checks, major="22"):
    """Tests a V8 whose binary has neither metadata nor version, or only the version."""
    version = b"_ZN2v88internal7Version6"
    with open(node(version_of(major)), "rb") as file:
        unread = file.read().replace(b"v8dbg_", b"v8xbg_")
    test_names_of(checks, unread.replace(version, version[:-1] + b"x"), ("js", "builtin"))
    test_names_of(checks, unread, ())


def test_names_of(checks, binary, unwanted):
    """Checks that the perf map of V8 provides names, and that no frame has an unwanted kind."""
    with folder() as path:
        other, script, out = (os.path.join(path, name) for name in ("other-js", "hot.js", "p.ndjson"))
        with open(other, "wb") as file:
            file.write(binary)
        os.chmod(other, 0o755)
        with open(script, "w", encoding="utf-8") as file:
            file.write("function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
                       "const end = Date.now() + 2000;\nwhile (Date.now() < end) fib(22);\n")
        done, profile = record("--", other, "--perf-basic-prof", script, out=out, cwd=path)
        checks.equal(done.returncode, 0,
                     f"the recording of Node.js with a perf map succeeds: {done.stderr}")
        for process in profile.of("process"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"/tmp/perf-{process['pid']}.map")
        fib, jit = (profile.count(lambda _, frames, __, names=names: any(
            f["kind"] == "jit" and re.search(names, f.get("name", "")) for f in frames)) for names in ("fib", ""))
        checks.that(jit > 20 and fib > 0.9 * jit,
                    f"most samples in compiled code have the name fib from the perf map: {fib} of "
                    f"{jit}")
        checks.that(not profile.count(lambda _, frames, __: any(f["kind"] in unwanted or f.get("tier") for f in frames)),
                    "no sample in compiled code got its name from V8's heap")


def start(stack, case, path):
    own = os.path.join(path, case)
    os.mkdir(own)
    return stack.enter_context(running([sys.executable, TARGET, case, own], text=True))


def leaves(profile, pid):
    """Yields (time in us, name, frame) of the user-space leaf of each sample."""
    for _, _, frames, line in profile.samples():
        leaf = next((f for f in frames if f["kind"] != "kernel"), None)
        at = 0
        for step in line["t"]:
            at += step
            if leaf and line["pid"] == pid and leaf["kind"] in ("jit", "native") and "module" not in leaf:
                yield at, leaf.get("name"), leaf


def judge(checks, case, found, changed_us):
    before = [f for f in found if f[0] < changed_us - SPARE_US]
    after = [f for f in found if f[0] > changed_us + SPARE_US]
    words = (f"{case}: samples before and after the change have the right names "
             f"({len(before)} and {len(after)} samples)")
    names = tuple({f[1] for f in part} for part in (before, after))
    # The old file is gone, so samples that were not symbolized at once have no name.
    if case in WRITTEN_ANEW:
        names = names[0] - NONE, names[1]
    # On a busy machine the recorder may read the file only after the change.
    if case in WRITTEN_ANEW and not names[0]:
        names = NAMED[case][0], names[1]
    checks.equal(names, NAMED[case], words)
    if case in REASONS:
        checks.equal({f[2].get("reason") for f in found}, {REASONS[case]},
                     f"{case}: each frame without a name has the expected reason")
    if case == "dump-again":
        lines = {(f[1], f[2].get("file"), f[2].get("line"), f[2].get("column")) for f in found}
        checks.equal(lines, {("before", "/a.jit", 12, 3), ("after", "/b.jit", 21, 3)},
                     f"{case}: samples before and after the change have the right lines")


def test_files(checks):
    with folder() as path, contextlib.ExitStack() as stack:
        children = {case: start(stack, case, path) for case in sorted(NAMED) if case != "dump-child"}
        # Pids in the test's namespace.
        pids = {case: [int(pid) for pid in child.stdout.readline().split()] for case, child in children.items()}
        pids["dump-child"], pids["dump-fork"] = pids["dump-fork"][1:], pids["dump-fork"][:1]
        for made in pids.values():
            stack.callback(lambda pid: [os.path.isdir(m) and os.rmdir(m) or os.path.lexists(m) and os.unlink(m)
                                        for m in glob.glob(f"/tmp/perf-{pid}.map")], made[0])
        os.mkdir(os.path.join(path, "run"))
        out = os.path.join(path, "p.ndjson")
        partial = os.path.join(path, ".p.ndjson.partial")
        with running([UNSPOOL, "record", "-q", "-F", "997", "-o", out, "-p",
                      ",".join(str(p[0]) for p in pids.values())], stdout=None) as recorder:
            while recorder.poll() is None and b'"samples"' not in (read(partial) if os.path.exists(partial) else b""):
                time.sleep(0.2)
            time.sleep(2)
            changed = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            for case in pids:
                os.makedirs(os.path.join(path, case, "go"), exist_ok=True)
            time.sleep(2)
            recorder.send_signal(signal.SIGINT)
            checks.equal(recorder.wait(60), 0, "the recording of all cases exits with 0 in time")
        profile = Profile(out)
        changed_us = (changed - profile.of("header")[0]["start_boottime_ns"]) // 1000
        for case in sorted(NAMED):
            judge(checks, case, list(leaves(profile, pids[case][0])), changed_us)


def main():
    need_bpf()
    if os.geteuid():
        print("this test needs root to make namespaces and files of other users")
        raise SystemExit(77)
    checks = Checks()
    {"jit": test_jit, "files": test_files, "node": test_node}[sys.argv[1]](checks)
    return checks.end()


raise SystemExit(main())
