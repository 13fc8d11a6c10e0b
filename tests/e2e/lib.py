# SPDX-License-Identifier: BSD-2-Clause
"""Functions shared by the end-to-end tests: child processes that always end, recordings, profiles,
checks."""

import concurrent.futures
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
CACHE = os.environ.get("UNSPOOL_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "unspool")
for part in "node", "dotnet", "viewers", "browsers":  # the folders that ci/PART prints
    if os.path.isdir(os.path.join(CACHE, part)):
        os.environ.setdefault(f"UNSPOOL_{part.upper()}_DIR", os.path.join(CACHE, part))
NODES = os.environ.get("UNSPOOL_NODE_DIR", "")
UNSPOOL = os.environ.get("UNSPOOL", "unspool")
BUSY = os.environ.get("UNSPOOL_BUSY", "busy")  # busy.c

# Makes SIGTERM raise SystemExit, so that child processes are killed if the test is terminated, for
# example by meson's timeout.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def skip(why):
    print(why)
    sys.exit(77)


def leave_out(words, need):
    """Reports that a part of a test can't run here. ci/test checks the report with ci/probe, and
    counts the part as skipped."""
    print(f"skipped: {words} (needs-{need})", flush=True)


def version_of(major):
    """Returns the version of Node.js with this major number from ci/versions, including the
    matrix's versions."""
    with open(os.path.join(TOP, "ci/versions"), encoding="utf-8") as file:
        versions = " ".join(re.findall(r"(?:NODE|MATRIX)_VERSIONS=\((.*)\)", file.read())).split()
    return next((v for v in versions if v.split(".")[0] == major), None) or sys.exit(
        f"ci/versions has no version of Node.js {major}")


def node(version):
    """Returns the path of a Node.js binary. Ends the test as skipped if the binary does not
    exist."""
    path = os.path.join(NODES, version, "bin/node")
    if not NODES or not os.access(path, os.X_OK):
        skip(f"this test needs Node.js {version}: UNSPOOL_NODE_DIR/{version}/bin/node does not "
             "exist")
    return path


def need_bpf():
    """Ends the test as skipped if `doctor` reports that BPF can't be used. ci/test checks skips
    with ci/probe."""
    done = unspool("doctor")
    if done.returncode == 3:
        skip((done.stderr or done.stdout).strip().splitlines()[-1])


class Checks:
    """Counts and prints checks; the last line is `N passed, N failed`."""

    def __init__(self):
        self.passed = self.failed = 0
        self.lock = threading.Lock()

    def that(self, good, words, quiet=False):
        with self.lock:
            if good:
                self.passed += 1
            else:
                self.failed += 1
            if not good or not quiet:
                print(f"{'ok' if good else 'FAILED'}: {words}", flush=True)
        return good

    def equal(self, is_, want, words, quiet=False):
        return self.that(is_ == want, words if is_ == want else f"{words}: {is_!r}, not {want!r}",
                         quiet)

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


@contextlib.contextmanager
def running(argv, wait_for=None, **options):
    """Starts a child in a new process group, and always kills this group at the end."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **options}
    child = subprocess.Popen(argv, start_new_session=True, **options)
    try:
        if wait_for is not None:
            line = child.stdout.readline()
            assert line.startswith(wait_for), f"{argv[0]}: said {line!r}"
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        if child.stdout:
            child.stdout.close()
        child.wait()


def unspool(*args, timeout=60, **options):
    """Runs a command to its end; stdout and stderr are text."""
    return subprocess.run([UNSPOOL, *map(str, args)], capture_output=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, encoding="utf-8", errors="surrogateescape",
                          check=False, **options)


def wait_until(true, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.05)


def at_once(n, parts):
    """Runs functions, @n at a time. For parts of a test that mostly wait for other processes."""
    with concurrent.futures.ThreadPoolExecutor(n) as pool:
        for future in [pool.submit(part) for part in parts]:
            future.result()


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory(prefix="unspool-e2e-") as path:
        yield path


class Profile:
    """A profile in ndjson: the lines by type, and the stack and process of each sample."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.lines = [json.loads(line) for line in file.read().decode("utf-8").splitlines()]
        self.frames = {f["id"]: f for f in self.of("frame")}
        self.stacks = {s["id"]: s for s in self.of("stack")}

    def of(self, kind):
        return [line for line in self.lines if line["type"] == kind]

    @property
    def summary(self):
        return self.of("summary")[-1]

    def samples(self):
        """Yields (count, stack, frames of the stack leaf first, line) for each line of samples."""
        for line in self.of("samples"):
            stack = self.stacks[line["stack"]]
            yield line["count"], stack, [self.frames[i] for i in stack["frames"]], line

    def count(self, wanted=lambda stack, frames, line: True):
        return sum(n for n, *rest in self.samples() if wanted(*rest))


def record(*args, out, hz=997, **options):
    """Records into the file @out; returns (finished process, Profile or None)."""
    done = unspool("record", "-q", "-F", hz, "-o", out, *args, **options)
    return done, Profile(out) if os.path.exists(out) else None
