# SPDX-License-Identifier: BSD-2-Clause
"""Runs a command with one injected fault at a time, and checks these conditions:

* The command ends by itself with exit status 0, 1 or 3, or with another status that is documented
* for it. If the status is 0, output and files are the same as without a fault. For commands whose
* output
  varies from run to run (on live processes), a function checks the output.
* If the status is 1 or 3, one line is printed on stderr.
* A file under its final name is complete; no other file is left behind.
* No memory leaks (a leak checker is loaded), and a sanitizer that is built in reports nothing.
"""

import gzip
import os
import random
import re
import shutil
import signal
import subprocess

INJECT = os.environ.get("UNSPOOL_INJECT", "inject")
PRELOAD = os.environ.get("UNSPOOL_PRELOAD", "preload.so")
LEAKS = os.environ.get("UNSPOOL_LEAKS", "liblsan.so.0")
# Leak checkers map memory, so none is loaded in runs in which mappings fail.
KINDS = ("allocations", "calls", "interruptions", "mappings")
SANITIZED = 99
# Libraries that end the process if their own allocations fail; callers cannot prevent that.
LIBRARIES = {
    "libunicorn": "version 2.0.1 uses the result of g_malloc() unchecked, in every translation",
    "libcapstone": "version 4.0.2 does not check malloc() in cs_open() and cs_disasm()",
}
# If one of these fails for a file argument, the command reports a usage error.
STATS = ("newfstatat", "stat", "statx")
# Unicorn prints this when mmap() fails, then calls exit().
UNICORN_EXITS = "Could not allocate dynamic translator buffer"
# ASan prints these warnings because of the stacks of Unicorn's coroutines.
ASAN_REMARKS = ("WARNING: ASan is ignoring requested __asan_handle_no_return|"
                "False positive error reports may follow|"
                "For details see https://github.com/google/sanitizers")
OPTIONS = f"exitcode={SANITIZED}:leak_check_at_exit=0"  # preload.c checks
SANITIZERS = {
    "LSAN_OPTIONS": OPTIONS,
    "ASAN_OPTIONS": OPTIONS + ":verify_asan_link_order=0:detect_leaks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def plain(path, content):
    """Returns decompressed content, because zstd compresses differently when memory is short."""
    if path.endswith(".gz"):
        return gzip.decompress(content)
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq"], input=content, capture_output=True, check=True).stdout
    return content


def is_same(got, want):
    return None if got == want else "its output differs"


class Command:
    """@argv may contain {out}, the folder of its files @files. @valid(path) checks a file,
    @answers(output, output without a fault) checks the output, and each returns an error or None;
    by default both must be the same as without a fault. @said is a pattern of permitted messages,
    @known has patterns of known errors."""

    def __init__(self, name, argv, *, files=(), valid=None, answers=is_same, said=None, known=(),
                 is_fine=lambda: None, within=(), limit_s=60, statuses=(1, 3)):
        self.name, self.argv, self.files, self.valid = name, argv, files, valid
        self.answers, self.said, self.known = answers, said, known
        self.is_fine, self.within = is_fine, within
        self.limit_s, self.statuses = limit_s, statuses


class Result:
    """The results of a run. The status is None if the command did not end."""

    def __init__(self, status, stdout, stderr, out, log):
        self.status, self.stdout, self.log = status, stdout, log
        self.stderr = stderr.decode("utf-8", "replace")
        self.files = {}
        for folder, _, names in os.walk(out):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    self.files[os.path.relpath(path, out)] = file.read()


class Trial:
    """All runs of one command, without and with faults."""

    def __init__(self, command, folder, is_sanitized=False):
        self.command, self.is_sanitized = command, is_sanitized
        self.out = os.path.join(folder, "out")
        self.log = os.path.join(folder, "log")

    def invocation(self, kind, nth):
        argv = [arg.format(out=self.out) for arg in self.command.argv]
        env = {**os.environ, **SANITIZERS, "LC_ALL": "C"}
        libraries = PRELOAD if self.is_sanitized or kind == "mappings" else f"{PRELOAD} {LEAKS}"
        if kind == "allocations":
            env.update(UNSPOOL_INJECT_LOG=self.log, UNSPOOL_INJECT_NTH=str(nth))
            return [*self.command.within, "env", "LD_PRELOAD=" + libraries, *argv], env
        return [*self.command.within, INJECT, kind, str(nth), self.log, libraries, *argv], env

    def run(self, kind, nth=0):
        shutil.rmtree(self.out, ignore_errors=True)
        os.mkdir(self.out)
        if os.path.exists(self.log):
            os.unlink(self.log)
        argv, env = self.invocation(kind, nth)
        with subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, start_new_session=True) as child:
            try:
                stdout, stderr = child.communicate(timeout=self.command.limit_s)
                status = child.returncode
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                stdout, stderr = child.communicate()
                status = None
            except BaseException:
                os.killpg(child.pid, signal.SIGKILL)
                raise
        log = []
        if os.path.exists(self.log):
            with open(self.log, encoding="ascii") as file:
                log = file.read().split()
        return Result(status, stdout, stderr, self.out, log)

    def wrong_files(self, got, want, failed):
        for path, content in got.files.items():
            final = re.sub(r"-\d+(?=\.core)", "", path)
            if final not in self.command.files:
                # A file may stay if unlink() failed, or if a message names it.
                if not failed.startswith("unlink") and (os.path.join(self.out, path)
                                                        not in got.stderr):
                    yield f"the command leaves the file {path} behind"
            elif self.command.valid:
                why = self.command.valid(os.path.join(self.out, path))
                if why:
                    yield f"the command leaves an incomplete file {path}: {why}"
            elif plain(path, content) != plain(path, want.files[path]):
                yield f"the command writes wrong content to {path}, {len(content)} bytes"

    def wrong_words(self, got, want, failed):
        """Yields the errors in the status, the output and the messages."""
        lines = [line for line in got.stderr.splitlines()
                 if not (self.is_sanitized and re.search(ASAN_REMARKS, line))
                 and not (self.command.said and re.search(self.command.said, line))]
        if got.status == 0:
            if why := self.command.answers(got.stdout, want.stdout):
                yield f"the command reports success, but {why}"
            if lines:
                yield f"the command reports success, but prints {lines}"
            if missing := set(want.files) - set(got.files):
                yield f"the command reports success, but did not write {missing}"
        elif got.status not in self.command.statuses and not (got.status == 2 and failed in STATS):
            yield f"the command exits with the undocumented status {got.status} and prints {lines}"
        elif len(lines) != 1:
            yield f"the command exits with {got.status} but does not print one line: {lines}"

    def wrong(self, got, want, failed):
        """Yields the conditions that a run violates in which the call @failed failed."""
        if got.status is None:
            yield f"the command does not end within {self.command.limit_s} s"
        elif got.status == SANITIZED or "Sanitizer" in got.stderr:
            frames = re.findall(r"#\d+ \S+ in (\S+) (\S+)", got.stderr)
            summary = re.search(r"SUMMARY: (.*)", got.stderr)
            yield f"{summary and summary.group(1)}: " + " < ".join(" ".join(f) for f in frames[:6])
        elif got.status < 0 or got.status > 125:
            yield f"the command was killed by a signal (status {got.status})"
        else:
            yield from self.wrong_files(got, want, failed)
            yield from self.wrong_words(got, want, failed)
        if why := self.command.is_fine():
            yield why

    def choose(self, kind, log, most):
        """Returns the numbers of the calls that will fail. Of repeated calls, and of allocations
        with the same callers, only the first and the last will fail."""
        chosen = {n for n, call in enumerate(log, 1) if n in (1, len(log)) or log[n - 2] != call
                  or log[n] != call}
        if kind == "allocations":
            ours = [(n, at) for n, at in enumerate(log, 1) if ",libunicorn" not in at]
            chosen = {*{at: n for n, at in reversed(ours)}.values(),
                      *{at: n for n, at in ours}.values()}
        if 0 < most < len(chosen):
            chosen = random.Random(len(log)).sample(sorted(chosen), most)
        return sorted(chosen)

    def all(self, most):
        """Yields (kind, n, failed call, errors) for each run; there may be no errors."""
        for kind in KINDS[:3] if self.is_sanitized else KINDS:
            want = self.run(kind)
            wrong = list(self.wrong(want, want, "nothing"))
            if wrong or want.status or not (want.log or kind == "mappings"):
                yield kind, 0, "nothing", wrong or [
                    f"the command exits with {want.status} although no fault was injected: "
                    f"{want.stderr}"]
                continue
            for n in self.choose(kind, want.log, most):
                got = self.run(kind, n)
                if not got.log and got.status is not None:
                    continue  # a command on live processes does not make the same calls in each run
                failed = got.log[-1] if got.log else kind
                failed = failed.partition(",")[2] or failed
                yield kind, n, failed, [w for w in self.wrong(got, want, failed)
                                        if not self.is_known(failed, w, got)]

    def is_known(self, failed, wrong, got):
        """Returns whether the error is caused by a library or is known."""
        library = failed.split(".")[0]
        if library == "libcapstone" and "its output differs" in wrong:
            return True  # libcapstone then reports an instruction as (bad)
        return (library in LIBRARIES and re.search("was killed|Sanitizer: (SEGV|.* leaked)", wrong) or
                failed == "mmap" and UNICORN_EXITS in got.stderr or
                any(re.search(k, f"{failed}: {wrong}") for k in self.command.known))
