#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests `record -- COMMAND` and the files that it writes: exit statuses, formats, early
refusals."""

import contextlib
import gzip
import os
import re
import shutil
import struct
import subprocess
import sys
import time
from collections import Counter

from lib import (BUSY, UNSPOOL, Checks, Profile, folder, leave_out, need_bpf, node, running,
                 unspool, version_of)


def statuses(check, tmp):
    out = os.path.join(tmp, "c.ndjson")
    cases = ((["sh", "-c", "exit 7"], 7,
              "`record` exits with the status of the command, even if it recorded no sample"),
             (["sh", "-c", "kill -9 $$"], 137,
              "`record` exits with 137 if signal 9 kills the command"),
             (["--", BUSY, "300"], 0, "`record` accepts `--` before the command"),
             ([BUSY, "300", "--help"], 0, "`record` passes options after the command to the "
                                          "command"),
             ([os.path.join(tmp, "nothing")], 127,
              "`record` exits with 127 if the command does not exist"),
             ([tmp], 126, "`record` exits with 126 if the command can't be executed"))
    for command, status, words in cases:
        done = unspool("record", "-q", "-F", 997, "-o", out, *command)
        check.equal(done.returncode, status, words)
        if status in (126, 127):
            check.equal(len(done.stderr.splitlines()), 1,
                        f"{words}, and `record` prints one line: {done.stderr.strip()!r}")
        if BUSY in command:
            check.that(os.path.exists(out), f"{words}: `record` writes a profile")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(out)
    check.equal(os.listdir(tmp), [], "`record` writes no file other than profiles")


def descendants(check, tmp):
    out = os.path.join(tmp, "d.ndjson")
    done = unspool("record", "-q", "-F", 997, "-o", out, "sh", "-c",
                   f"sh -c '{BUSY} 400; :' & {BUSY} 400; wait")
    profile = Profile(out)
    pids = {line["pid"] for n, s, f, line in profile.samples() if f[0].get("name") == "busy_inner"}
    check.equal((done.returncode, len(pids)), (0, 2),
                "`record` also records a child and a grandchild of the command")
    check.that(profile.summary["complete"] > 0.9 * profile.summary["samples"],
               f"more than 90 % of the stacks are complete: {profile.summary['complete']} of "
               f"{profile.summary['samples']}")


def executes(check, tmp):
    """A process executes three programs in turn; each sample must belong to the program that was
    running."""
    out, script = os.path.join(tmp, "e.ndjson"), os.path.join(tmp, "last.js")
    with open(script, "w", encoding="utf-8") as file:
        file.write("function last(x) {\n  for (let i = 0; i < 1e5; i++) "
                   "x = (x * 31 + i) | 0;\n  return x;\n}\nwhile (process.cpuUsage().user < 1.5e6)\n  last(1);\n")
    binary = node(version_of("22"))
    done = unspool("record", "-q", "-F", 997, "-o", out, "sh", "-c",
                   f"i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; exec {binary} {script}")
    check.equal(done.returncode, 0, "`record` exits with 0 if the command executes another program")
    profile = Profile(out)
    names = [p["name"] for p in profile.of("process")]
    # Until its first exec the child runs the recorder's program, and may be sampled under this
    # name.
    check.that(names[-2:] == ["sh", "last.js"],
               f"the process is recorded under its names before and after the exec: {names}")
    node_now, wrong, js = False, 0, 0
    for line in profile.lines:
        if line["type"] == "process":
            node_now = "runtime" in line
        elif line["type"] == "samples":
            frames = [profile.frames[i] for i in profile.stacks[line["stack"]]["frames"]]
            modules = {os.path.basename(f["module"]) for f in frames if "module" in f}
            js += line["count"] * any(f.get("name") == "last" for f in frames)
            wrong += line["count"] * (not node_now and "node" in modules
                                      or node_now and "dash" in modules)
    check.equal(wrong, 0,
                "no sample has frames of a program that the process did not run at that time")
    check.that(js > 50, f"more than 50 samples are in JavaScript after the exec: {js}")


def formats(check, tmp):
    names = ["a.ndjson", "a.ndjson.gz", "a.ndjson.zst", "a.folded"]
    args = [x for n in names for x in ("-o", os.path.join(tmp, n))]
    done = unspool("record", "-q", "-F", 997, *args, BUSY, 500)
    check.equal((done.returncode, sorted(os.listdir(tmp))), (0, sorted(names)),
                "one recording writes all four files")
    with open(os.path.join(tmp, names[0]), "rb") as file:
        plain = file.read()
    with gzip.open(os.path.join(tmp, names[1])) as file:
        check.equal(file.read(), plain,
                    "the gzip file has the same content as the uncompressed file")
    zstd = unspool("convert", os.path.join(tmp, names[2]), os.path.join(tmp, "b.ndjson"))
    with open(os.path.join(tmp, "b.ndjson"), "rb") as file:
        check.that(zstd.returncode == 0 and file.read() == plain,
                   "the zstd file has the same content as the uncompressed file")
    with open(os.path.join(tmp, names[3]), encoding="utf-8") as file:
        count = sum(int(line.rsplit(" ", 1)[1]) for line in file)
    total = Profile(os.path.join(tmp, names[0])).summary["samples"]
    check.equal(count, total, "the counts in the folded file add up to all samples")


def viewers(check, tmp):
    """`record` writes the formats of viewers as `convert` does."""
    args = [x for n in ("a.ndjson", "a.pb.gz", "a.%t.cpuprofile", "a.svg")
            for x in ("-o", os.path.join(tmp, n))]
    done = unspool("record", "-F", 997, *args, BUSY, 500)
    profile = Profile(os.path.join(tmp, "a.ndjson"))
    tids = {line["tid"] for line in profile.of("samples")}
    check.equal((done.returncode, sorted(os.listdir(tmp))),
                (0, sorted(["a.ndjson", "a.pb.gz", "a.svg"] + [f"a.{tid}.cpuprofile" for tid in tids])),
                "one recording writes the formats of viewers, and a .cpuprofile for each thread")
    notes = [line for line in done.stderr.splitlines() if line.startswith("unspool: note: ")]
    check.equal(len(notes), 3, "`record` prints once for each format what it does not hold")
    unspool("convert", os.path.join(tmp, "a.ndjson"), os.path.join(tmp, "b.svg"))
    with open(os.path.join(tmp, "a.svg"), "rb") as a, open(os.path.join(tmp, "b.svg"), "rb") as b:
        check.that(a.read() == b.read(), "`record` and `convert` write the same flame graph")


def stdout(check, tmp):
    done = unspool("record", "-q", "-F", 997, "-o", "-", "-f", "folded", BUSY, 2000, cwd=tmp)
    lines = done.stdout.splitlines()
    # The command's own output precedes the folded stacks.
    check.that(done.returncode == 0 and len(lines) > 1 and
               all(re.fullmatch(r".* \d+", line) for line in lines if line != "running"),
               "with -o - stdout has folded stacks and no report")
    check.that(any("main" in line and "busy_outer" in line for line in lines),
               "the folded stacks on stdout contain main and busy_outer")
    check.equal(os.listdir(tmp), [], "with -o - `record` writes no file")


def refusals(check, tmp):
    done = unspool("record", "-o", os.path.join(tmp, "p.xyz"), "touch", os.path.join(tmp, "ran"))
    check.equal((done.returncode, len(done.stderr.splitlines())), (2, 1),
                "`record` refuses a file name with an unknown suffix in one line")
    for path in ("/proc/p.ndjson", os.path.join(tmp, "no/p.ndjson"), tmp):
        done = unspool("record", "-o", path, "-f", "ndjson", "touch", os.path.join(tmp, "ran"))
        check.equal((done.returncode, len(done.stderr.splitlines())), (2, 1),
                    "`record` refuses a file that can't be written in one line: "
                    f"{done.stderr.strip()!r}")
    for bad in ("0", "-1", "1x", "5 s", "99999999999999999999"):
        done = unspool("record", "-d", bad, "touch", os.path.join(tmp, "ran"))
        check.equal((done.returncode, len(done.stderr.splitlines())), (2, 1),
                    f"`record` refuses -d {bad} in one line: {done.stderr.strip()!r}")
    check.equal(os.listdir(tmp), [], "no refused recording ran its command or wrote a file")


def of_32_bits(check, tmp):
    """A 32-bit ELF file is refused in one line, if the machine runs such files at all."""
    path = os.path.join(tmp, "loops")
    header = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\1\1\1", 2, 3, 1, 0x8048054, 52, 0, 0, 52,
                         32, 1, 40, 0, 0)
    segment = struct.pack("<8I", 1, 0, 0x8048000, 0x8048000, 86, 86, 5, 0x1000)
    with open(path, "wb") as file:
        file.write(header + segment + b"\xeb\xfe")
    os.chmod(path, 0o755)
    try:
        with running([path]) as child:
            for target in (child.pid, "loops"):
                done = unspool("record", "-q", "-p", target, "-d", "1", "-o",
                               os.path.join(tmp, "p.ndjson"))
                check.equal((done.returncode, len(done.stderr.splitlines())), (3, 1),
                            "`record` refuses a 32-bit target in one line: "
                            f"{done.stderr.strip()!r}")
        out = os.path.join(tmp, "command.ndjson")
        unspool("record", "-q", "-F", "199", "-o", out, "--", "timeout", "0.5", path)
        profile = Profile(out)
        pids = [p["pid"] for p in profile.of("process") if p["name"] == "loops"]
        reasons = Counter(stack.get("reason") for _, stack, _, line in profile.samples()
                          if line["pid"] in pids)
        check.that(reasons["32-bit code"] > 0 and not reasons[None],
                   f"all stacks of a 32-bit command have the reason `32-bit code`: {reasons}")
    except OSError as error:
        leave_out(f"this machine does not run 32-bit programs: {error}", "32bit")


def no_permission(check, tmp):
    """Records as a user without privileges, with a copy of unspool that this user can execute."""
    exe = os.path.join(tmp, "unspool")
    shutil.copy(UNSPOOL, exe)
    os.chmod(tmp, 0o777)
    os.chmod(exe, 0o755)
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", exe]
    with running([BUSY], b"running") as child:
        done = subprocess.run([*as_nobody, "record", "-p", str(child.pid), "-d", "1", "-o",
                               os.path.join(tmp, "p.ndjson")],
                              capture_output=True, text=True, check=False)
    check.equal((done.returncode, len(done.stderr.splitlines())), (3, 1),
                f"`record` without permission fails with one line: {done.stderr.strip()!r}")
    check.equal(os.listdir(tmp), ["unspool"], "`record` without permission writes no file")


def durations(check, tmp):
    out = os.path.join(tmp, "t.ndjson")
    start = time.monotonic()
    with running([BUSY], b"running") as child:
        done = unspool("record", "-q", "-F", 997, "-p", child.pid, "-d", "500ms", "-o", out)
        seconds = time.monotonic() - start
        check.that(done.returncode == 0 and 0.5 <= seconds < 5, f"-d 500ms took {seconds:.1f} s")
        start = time.monotonic()
        done = unspool("record", "-q", "-F", 997, "-p", child.pid, "-o", out, "sleep", "0.5")
        seconds = time.monotonic() - start
        check.that(done.returncode == 0 and 0.5 <= seconds < 5,
                   "the recording of another process with -p ends when the command ends: "
                   f"{seconds:.1f} s")
    check.equal({line["pid"] for line in Profile(out).of("samples")}, {child.pid},
                "with -p the command itself is not recorded")


def bare(check, tmp):
    with running([BUSY], b"running") as child:
        done = unspool("record", "-q", "-p", child.pid, "-d", 1, cwd=tmp)
    names = os.listdir(tmp)
    check.that(len(names) == 1 and re.fullmatch(
        rf"unspool-busy-{child.pid}-\d{{8}}T\d{{6}}Z\.html", names[0]),
               f"the name of the default file contains program, pid and time: {names}")
    check.equal(done.stderr.splitlines()[-1:], names,
                "the last line on stderr is the path of the file with the default name")
    check.that("busy_inner" in done.stdout and "complete 1" in done.stdout, "the report is on stdout")


def main():
    need_bpf()
    check = Checks()
    for case in (statuses, descendants, executes, formats, viewers, stdout, refusals, of_32_bits, no_permission,
                 durations, bare):
        with folder() as tmp:
            case(check, tmp)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
