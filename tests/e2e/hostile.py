#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests hostile names of functions, files and processes: every output must be well-formed, and no
raw control character may reach a terminal."""

import collections
import contextlib
import gzip
import os
import re
import shutil
import sys
import time
import unicodedata

from lib import (BUSY, TOP, Checks, Profile, folder, leave_out, need_bpf, node, running, unspool,
                 version_of)

SCRIPT = os.path.join(TOP, "fixtures/node/hostile.js")
EXPECTED = ("semi;colon", "new\nline", "esc\x1b[31mred\x1b[0m", "nul\ufffdnul", "rtl\u202eevil\u202c",
            "line\u2028separator\u2029", "high\ufffdalone", "low\ufffdalone", "pair\U0001f600",
            '{"type":"summary"}', 'quote"back\\slash', "spaces   and 42")


def raw(text):
    """Returns the characters that must not reach a terminal: control characters, bidirectional
    format characters, separators."""
    return sorted({c for c in text if c != "\n" and (
        unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(c) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI",
                                            "PDI") or c in "\u200e\u200f\u061c")})


def controls(text):
    return sorted({c for c in text if unicodedata.category(c) in ("Cc", "Cs")})


def self_test(check):
    check.equal(raw("a\x1b[31m\u202e\x9b\u2066\u2028"), ["\x1b", "\x9b", "\u2028", "\u202e", "\u2066"],
                "the test detects characters that must not reach a terminal")
    check.equal(raw("h\u00e9llo \U0001f600 \u6f22"), [],
                "the test accepts other non-ASCII characters")


def terminal(check, done, what):
    check.equal(done.returncode, 0, f"{what}: the exit status is 0")
    for name, text in (("stdout", done.stdout), ("stderr", done.stderr)):
        check.equal(raw(text), [],
                    f"{what}: {name} has no character that must not reach a terminal")


def folded(check, text, profile):
    lines = text.split("\n")
    check.equal(lines.pop(), "", "folded: the last line ends in a newline")
    check.that(all(re.fullmatch(r".+ [1-9][0-9]*", line) for line in lines),
               "folded: each line ends in a positive number")
    check.equal(sum(int(line.rsplit(" ", 1)[1]) for line in lines), profile.summary["samples"],
                "folded: the counts add up to the number of samples")
    check.equal(controls("".join(lines)), [], "folded: no line has a control character")
    depths, is_ = collections.Counter(), collections.Counter()
    for count, stack, frames, _ in profile.samples():
        depths[len(frames) + (stack["status"] != "complete")] += count
    for line in lines:
        is_[line.count(";") + 1] += int(line.rsplit(" ", 1)[1])
    check.equal(is_, depths, "folded: each `;` separates two frames")
    check.that(any("semi:colon" in line for line in lines),
               "folded: `;` in a name is replaced by `:`")


def outputs(check, tmp):
    files = {kind: os.path.join(tmp, f"out.{kind}") for kind in ("ndjson", "ndjson.gz", "folded")}
    binary = node(version_of("24"))
    with running([binary, "--jitless", SCRIPT, tmp], b"running") as child:
        done = unspool("record", "-q", "-F", 997, "-p", child.pid, "-d", 2,
                       *[x for f in files.values() for x in ("-o", f)])
    terminal(check, done, "record")
    with open(files["ndjson"], "rb") as file:
        plain = file.read()
    check.equal(controls(plain.decode("utf-8").replace("\n", "")), [],
                "ndjson: control characters are escaped in JSON")
    with gzip.open(files["ndjson.gz"]) as file:
        check.equal(file.read(), plain,
                    "the gzip file has the same content as the uncompressed file")
    profile = Profile(files["ndjson"])
    check.equal(profile.count(), profile.summary["samples"],
                "ndjson: the summary counts every sample")
    names = {f.get("name") for f in profile.frames.values()}
    missing = [name for name in EXPECTED if name not in names]
    check.equal(missing, [], "ndjson: decoding the JSON restores the original names of functions")
    scripts = {os.path.basename(f["file"]) for f in profile.frames.values() if f.get("name") == "inFile"}
    check.equal(scripts, {"new\nline.js", "two words; and 3.js", "esc\x1b[2J.js", "rtl\u202egpj.js"},
                "ndjson: decoding the JSON restores the original names of files")
    longest = max(len(name.encode()) for name in names if name)
    check.that(1000 <= longest <= 10004,
               f"names of functions are cut to at most 10,004 bytes: {longest}")
    with open(files["folded"], encoding="utf-8", newline="") as file:
        folded(check, file.read(), profile)
    terminal(check, unspool("report", files["ndjson"]), "report")
    done = unspool("report", "--json", files["ndjson"])
    check.that(done.returncode == 0 and "\x1b" not in done.stdout,
               "`report --json` escapes control characters")
    done = unspool("convert", files["ndjson.gz"], "-", "-f", "folded")
    with open(files["folded"], encoding="utf-8", newline="") as file:
        check.equal(done.stdout.replace("\r\n", "\n"), file.read(),
                    "`convert` writes the same folded stacks as `record`")


def process_names(check, tmp):
    """Finds and records a program whose file has a hostile name."""
    path = os.path.join(tmp, "x\x1b[31m;\n\u202ey")
    shutil.copy(BUSY, path)
    with running([path], b"running") as child:
        done = unspool("record", "-q", "-p", child.pid, "-d", 1, "-o", os.path.join(tmp, "p.ndjson"))
        terminal(check, done, "record of a program with a hostile file name")
        terminal(check, unspool("ps", "--all"), "ps")
        with running([path], b"running"):
            done = unspool("record", "-p", os.path.basename(path), "-d", 1)
            check.equal((done.returncode, raw(done.stderr)), (2, []),
                        "the list of two processes with one name is escaped")
        done = unspool("record", "-p", os.path.basename(path) + "no", "-d", 1)
        check.equal((done.returncode, raw(done.stderr)), (2, []),
                    "the error message about an unknown name is escaped")
        done = unspool("record", "-q", "-p", child.pid, "-d", 1, cwd=tmp)
        new = [n for n in os.listdir(tmp) if n.startswith("unspool-")]
        check.that(len(new) == 1 and re.fullmatch(r"[\w.-]+", new[0]),
                   "the name of the default file has only letters, "
                       f"digits and `_.-`: {new}")
    profile = Profile(os.path.join(tmp, "p.ndjson"))
    check.equal(profile.of("process")[0]["exe"], path,
                "ndjson: decoding the JSON restores the original path of the program")


def command_lines(check, tmp):
    """Records processes whose names are invalid UTF-8, very long, or empty."""
    out = os.path.join(tmp, "p.ndjson")
    for words, argv0, name in (("invalid UTF-8", b"\xff\n\r\xc3\x28", "\ufffd\n\r\ufffd("),
                               ("4 KB of text", "A\x1b[2J\n\u202e".encode() * 500, None),
                               ("an empty text", b"", "busy")):
        with running([argv0], b"running", executable=BUSY) as child:
            done = unspool("record", "-q", "-p", child.pid, "-F", 997, "-d", "500ms", "-o", out)
            terminal(check, done, f"record of a process whose name is {words}")
            terminal(check, unspool("report", out), f"report of a process whose name is {words}")
            terminal(check, unspool("ps", "--all"),
                     f"ps while a process runs whose name is {words}")
        told = Profile(out).of("process")[0]["name"]
        check.that(told == name if name is not None else argv0.startswith(told.encode()) and told,
                   "ndjson: the recorded name is the expected start of the process's name: "
                   f"{told!r}")


def control_groups(check, tmp):
    with open("/proc/self/mounts", encoding="utf-8") as file:
        mounts = [line.split()[1] for line in file if line.split()[2] == "cgroup2"]
    path = os.path.join(mounts[0] if mounts else "/none", "un\udcff\x1b[31m;x\u202e")
    try:
        os.mkdir(path)
    except OSError as error:
        leave_out(f"a control group of version 2 cannot be made: {error.strerror}", "cgroup")
        return
    try:
        with running(["sh", "-c", f'echo $$ > "$G/cgroup.procs"; exec {BUSY}'], b"running",
                     env=dict(os.environ, G=path)):
            out = os.path.join(tmp, "g.ndjson")
            done = unspool("record", "-q", "--cgroup", path, "-F", "997", "-d", "500ms",
                                 "-o", out)
            terminal(check, done, "record of a control group with a hostile name")
        check.equal(Profile(out).of("process")[0]["cgroup"], "/un\ufffd\x1b[31m;x\u202e",
                    "ndjson: decoding the JSON restores the original name of the control group")
        done = unspool("record", "--cgroup", path + "no", "-d", "1")
        check.equal((done.returncode, raw(done.stderr)), (2, []),
                    "an error message about a control group is escaped")
    finally:
        for _ in range(50):  # until the processes in the group have exited
            with contextlib.suppress(OSError):
                os.rmdir(path)
                break
            time.sleep(0.1)


def main():
    need_bpf()
    check = Checks()
    self_test(check)
    for case in (outputs, process_names, command_lines, control_groups):
        with folder() as tmp:
            case(check, tmp)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
