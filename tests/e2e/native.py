#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""native.py [--known] [SECONDS [MAJOR]]: judges native stacks without frame pointers.

A C program with glibc, the same with musl, and a C++ program, all built with -O2
-fomit-frame-pointer, run together with tools of the distribution. Unspool and `perf record
--call-graph dwarf` record them at the same time. With MAJOR, only Node.js of that version is
recorded, in its native libraries. The figures are (chains.py has the limits):

  complete  stacks that reach their root by unwind rows alone, in % of the samples after
            the first two seconds, in which rows are loaded
  seen      samples whose chain perf also has, in %, at the comparable depth
  linked    samples for whose chain perf has each pair of a function and its caller, in %
  points    largest difference of a chain's share, of the twenty most frequent, in points
  nesting   complete stacks of the C program that match its source exactly, in %

With --known, perf does not run, and only the programs judged by completeness and nesting run, for a
few seconds. Otherwise a recording that misses a limit is repeated, for longer, and only the second
recording counts. The same judges must refuse a recording without unwind rows.
"""

import contextlib
import os
import subprocess
import sys
import time

import results
from chains import Chains, Files, Verdict, most, our_chains, perf_chains
from lib import (TOP, UNSPOOL, Checks, Profile, folder, need_bpf, node, record, running, skip,
                 version_of)

C_PROGRAM = os.environ["UNSPOOL_NATIVE"]
CC_PROGRAM = os.environ["UNSPOOL_NATIVE_CC"]
MUSL_PROGRAM = os.environ["UNSPOOL_NATIVE_MUSL"]
HZ = 499
SETTLED_US = 2000000
KNOWN = ("C", "C++", "C, musl")
MIN_NESTED = 99.9  # % of samples
ENDS = {"coroutine_main"}  # makecontext() makes it return to code without unwind information

# The callers of native.c's leaves; threads and coroutines have no main().
NESTING = {
    "leaf_plain": [["plain_inner", "run_plain", "main"]],
    "leaf_deep": [["deep"] * 31 + ["run_deep", "main"]],
    "leaf_alloca": [["with_alloca", "run_alloca", "main"]],
    "leaf_aligned": [["with_aligned", "run_aligned", "main"]],
    "leaf_compare": [["compare", "run_qsort", "main"]],  # the library's qsort, by any name
    "leaf_signal": [["on_signal", "run_raise", "main"],
                    ["on_trap", "trap", "run_trap", "main"],
                    ["on_signal", "on_trap", "trap", "run_trap", "main"]],
    "leaf_alternate": [["on_alternate", "run_alternate", "main"]],
    "leaf_vfork": [["run_vfork", "main"]],
    "leaf_thread": [["thread_main"]],
    "leaf_coroutine": [["coroutine_main"]],
    "run_read": [["main"]],
    "touch": [["run_faults", "main"]],
}

PYTHON = """
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
while True:
    fib(16)
    sorted(str(i * 7919 % 1000) for i in range(1000))
"""
PERL = """
sub fib { my $n = shift; $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
while (1) { fib(14); my %h; $h{$_ * 7919 % 1000}++ for 1..1000; join ",", sort keys %h }
"""


def is_nested(known, exact):
    return known >= 50 and known - exact <= most(1 - MIN_NESTED / 100, known)


def make_text(path):
    with open("/dev/urandom", "rb") as random, open(path, "wb") as file:
        file.write(random.read(3 << 20).hex().encode())


def programs(tmp, version):
    """Returns (name, command, does it read endless input) of each program; with @version, only
    Node.js of that version."""
    if version:
        return (("Node.js", [node(version), os.path.join(TOP, "fixtures/node/libraries.js")],
                 False),)
    return (("C", [C_PROGRAM], False),
            ("C++", [CC_PROGRAM], False),
            ("C, musl", [MUSL_PROGRAM], False),
            ("gzip", ["gzip", "-9", "-c"], True),
            ("xz", ["xz", "-T1", "-3", "-c"], True),
            ("sort", ["sort", "-S1M", "-T", tmp, "--parallel=1"], True),
            ("python3", ["/usr/bin/python3", "-c", PYTHON], False),
            ("perl", ["perl", "-e", PERL], False))


@contextlib.contextmanager
def started(tmp, wanted):
    """Starts programs() and returns {name: pid}; programs that read their input get endless
    text."""
    text = os.path.join(tmp, "text")
    make_text(text)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with contextlib.ExitStack() as stack:
        pids = {}
        for name, command, is_fed in wanted:
            if is_fed:
                command = ["sh", "-c", 'while :; do cat "$0"; done | exec "$@"', text, *command]
            child = stack.enter_context(running(command, **quiet))
            pids[name] = child.pid
        time.sleep(1)
        for name, command, is_fed in wanted:
            if is_fed:
                pids[name] = child_of(pids[name], os.path.basename(command[0]))
        yield pids


def child_of(pid, name):
    done = subprocess.run(["pgrep", "-P", str(pid), "-x", name], capture_output=True, text=True,
                          check=True)
    return int(done.stdout)


@contextlib.contextmanager
def perf_recording(pids, seconds, path, stack_len=16384, hz=HZ):
    command = ["perf", "record", "-q", "-o", path, "-e", "cpu-clock", "-F", str(hz), "--call-graph",
               f"dwarf,{stack_len}", "-p", ",".join(map(str, pids)), "--", "sleep", str(seconds)]
    with running(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as perf:
        yield perf
        perf.wait(timeout=60)


def perf_script(path, timeout=120):
    done = subprocess.run(["perf", "script", "-i", path, "--no-inline", "-F", "pid,ip,sym,dso"],
                          capture_output=True, check=True, encoding="utf-8", errors="replace",
                          timeout=timeout)
    return done.stdout


def nesting(profile, pid, program):
    """Returns the number of samples of known nesting, the number of these that are exact, and the
    wrong stacks."""
    known = exact = 0
    wrong = []
    for count, stack, frames, line in profile.samples():
        own = [f["name"] for f in frames if f["kind"] == "native" and f.get("name") and
               f.get("module") == program and not f.get("inlined") and f["name"] != "_start"]
        if line["pid"] != pid or stack["status"] != "complete" or not own or own[0] not in NESTING or not (
                frames[0]["kind"] == "kernel" or frames[0].get("name") == own[0]):
            continue
        known += count
        if own[1:] in NESTING[own[0]]:
            exact += count
        else:
            wrong.append(f"{count} {stack.get('reason', '')} {' < '.join(own)}")
    return known, exact, wrong


def kernel_stacks(profile, pid):
    """Returns {function: [samples, complete ones]} of the samples in the kernel called by
    run_read() and touch()."""
    found = {}
    for count, stack, frames, line in profile.samples():
        if line["pid"] == pid and frames and frames[0]["kind"] == "kernel":
            kinds = [f["kind"] for f in frames]
            assert kinds == sorted(kinds, key=lambda kind: kind != "kernel"), kinds
            for name in ("run_read", "touch"):
                if any(f.get("name") == name for f in frames):
                    whole = found.setdefault(name, [0, 0])
                    whole[0] += count
                    whole[1] += count * (stack["status"] == "complete")
    return found


def check_nameless_kernel(check, tmp, pid):
    """Checks that kernel frames have addresses if the kernel's symbols are unreadable, and that
    stacks are complete."""
    out = os.path.join(tmp, "k.ndjson")
    subprocess.run(["unshare", "-m", "sh", "-c", 'mount --bind /dev/null /proc/kallsyms && exec "$@"',
                    "sh", UNSPOOL, "record", "-q", "-F", str(HZ), "-p", str(pid), "-d", "2", "-o", out],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=True)
    profile = Profile(out)
    kernel = [f for f in profile.of("frame") if f["kind"] == "kernel"]
    check.that(kernel and all("off" in f and "name" not in f for f in kernel),
               f"without kernel symbols all {len(kernel)} kernel frames have addresses instead "
               "of names")
    found = kernel_stacks(profile, pid)
    check.that(sum(n for n, _ in found.values()) and all(whole >= n - 1 for n, whole in found.values()),
               f"without kernel symbols stacks with kernel frames are complete: {found}")


def hidden(chain):
    """Returns whether perf can't unwind the chain, because perf copies only the current stack, not
    the stack from which a signal or the program switched."""
    names = {name for _, name in chain}
    return bool(names & {"leaf_alternate", "on_alternate", "leaf_coroutine", "coroutine_main"})


# musl has no .eh_frame, so perf has no chains of programs with musl.
HIDDEN = {"C": hidden, "C, musl": lambda chain: True}


def judge(name, ours, theirs, has_perf=True):
    v = Verdict(ours, theirs, HIDDEN.get(name, lambda chain: False))
    print(f"{name:>8} {v.samples:>7} {v.complete:>8.2f} {v.n:>7} {v.n_theirs:>7} "
          f"{v.seen:>7.2f} {v.depth:>5} {v.linked:>7.2f} {v.points:>6.2f}  {dict(ours.reasons) or ''}", flush=True)
    for chain, count in v.unseen if has_perf and not v.is_seen else []:
        print("    perf did not record this call "
              "chain:", count, [function or file for file, function in chain])
    for chain, count, pairs in v.unlinked if has_perf and not v.is_linked else []:
        print("    perf did not record a caller in this call chain:", count,
              [function or file for file, function in chain],
              [tuple(function or file for file, function in pair) for pair in pairs])
    for chain, a, b in v.far if has_perf else []:
        print(f"    {a:.1f} %, perf {b:.1f} %:", [function or file for file, function in chain])
    return v


def one_recording(tmp, pids, seconds, *options):
    _, profile = record("-p", ",".join(map(str, pids.values())), "-d", seconds, *options,
                        out=os.path.join(tmp, "p.ndjson"), hz=HZ, timeout=seconds + 60)
    return profile


def check_good(check, profile, theirs, pids, files):
    """@theirs: the output of perf script; None if perf did not run."""
    has_perf = theirs is not None
    theirs = perf_chains(theirs, files, parts="Node.js" in pids) if has_perf else {}
    ours = our_chains(profile, files, SETTLED_US, ENDS)
    for name, pid in pids.items():
        v = judge(name, ours.get(pid, Chains()), theirs.get(pid, Chains()), has_perf)
        check.that(v.samples >= 50, f"{name}: there are at least 50 samples: {v.samples}",
                   quiet=True)
        check.that(v.is_complete, f"{name}: stacks are complete", quiet=True)
        if name == "C, musl" or not has_perf:
            continue
        check.that(v.is_seen, f"{name}: perf also recorded the call chains that Unspool "
                              "recorded", quiet=True)
        check.that(v.is_linked,
                   f"{name}: perf also recorded the pairs of function and caller that Unspool "
                   "recorded",
                   quiet=True)
        check.that(v.is_near,
                   f"{name}: frequent call chains have about the same shares in Unspool and perf",
                   quiet=True)
        results.add(program=name, samples=v.samples, complete=round(v.complete, 2),
                    seen=round(v.seen, 2), points=round(v.points, 2))
    rows = profile.summary["rows"]
    print("rows:", rows)
    check.that(rows["rows"] * 4 <= rows["budget"],
               "unwind rows use at most the memory that is budgeted for rows")
    if "C" not in pids:
        return
    for name, program in (("C", C_PROGRAM), ("C, musl", MUSL_PROGRAM)):
        known, exact, wrong = nesting(profile, pids[name], program)
        print(f"{name}: {exact} of the {known} stacks whose nesting is known are exact", *wrong[:5],
              sep="\n    ")
        check.that(is_nested(known, exact), f"{name}: stacks match the program's source")
    for name, (samples, whole) in kernel_stacks(profile, pids["C"]).items():
        check.that(whole >= samples * 0.99 - 1,
                   f"C: at least 99 % of the stacks from {name}() into the kernel "
                   f"are complete: {whole} of {samples}")


def check_bad(check, profile, pids, files):
    """The judges must refuse a recording without unwind rows."""
    ours = our_chains(profile, files)
    for name, pid in pids.items():
        v = judge(name, ours.get(pid, Chains()), Chains())
        check.that(not v.is_complete,
                   f"{name}: the judge refuses the share of complete stacks if no rows are loaded",
                   quiet=True)
        check.that(not v.is_seen and not v.is_linked,
                   f"{name}: the judge refuses the call chains if no rows are loaded", quiet=True)
    check.equal(profile.summary["rows"]["pages"], 0,
                "the recording with --max-memory 0 loads no pages of rows")
    if "C" in pids:
        known, exact, _ = nesting(profile, pids["C"], C_PROGRAM)
        check.that(not is_nested(known, exact),
                   "C: the judge refuses the nesting of functions if no rows are loaded")


def recordings(tmp, pids, seconds, is_known):
    """Returns Unspool's profile and the output of perf script for the same time."""
    if is_known:
        return one_recording(tmp, pids, seconds), None
    path = os.path.join(tmp, "perf.data")
    with perf_recording(pids.values(), seconds, path):
        profile = one_recording(tmp, pids, seconds)
    return profile, perf_script(path)


def attempt(seconds, version, is_known):
    check = Checks()
    with folder() as tmp:
        wanted = [p for p in programs(tmp, version) if not is_known or p[0] in KNOWN]
        run_all(check, tmp, wanted, seconds, is_known)
    return check


def run_all(check, tmp, wanted, seconds, is_known):
    with started(tmp, wanted) as pids:
        profile, theirs = recordings(tmp, pids, seconds, is_known)
        without = one_recording(tmp, pids, 1, "--max-memory", "0")
        print(f"{'':>8} {'samples':>7} {'complete':>8} {'native':>7} {'perf':>7} {'seen':>7} "
              f"{'depth':>5} {'linked':>7} {'points':>6}")
        files = Files()
        check_good(check, profile, theirs, pids, files)
        check_bad(check, without, pids, files)
        if "C" in pids:
            check_nameless_kernel(check, tmp, pids["C"])


def main():
    need_bpf()
    is_known = "--known" in sys.argv
    args = [arg for arg in sys.argv[1:] if arg != "--known"]
    seconds = int(args[0]) if args else 8
    version = version_of(args[1]) if len(args) > 1 else None
    if not is_known and subprocess.run(["perf", "--version"], capture_output=True, check=False).returncode:
        skip("perf does not run on this kernel; install the package linux-perf")
    check = attempt(seconds, version, is_known)
    if check.failed and not is_known:
        print("a check failed, perhaps because of too few samples; this test now repeats the "
              "check with "
              "a longer recording",
              flush=True)
        check = attempt(3 * seconds, version, is_known)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
