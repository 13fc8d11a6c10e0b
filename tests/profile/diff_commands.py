#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs `unspool diff` as a user does: every format that report reads, options, and bad input, for
which one sentence on stderr has the problem and the exit status is the right one."""

import gzip
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../e2e"))
# pylint: disable=wrong-import-position # beside
import steady  # noqa: E402
from lib import UNSPOOL, Checks, folder, unspool  # noqa: E402


STRANGE = "not an Unspool profile; use an .ndjson or .html file, or folded stacks"


def two(hot):
    return {"hot": hot, "cold": 100 - hot}


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def good_input(check):
    for name in "a.ndjson.gz", "a.ndjson.zst", "a.html", "a.folded":
        unspool("convert", "a.ndjson", name)
        done = unspool("diff", name, "b.ndjson")
        check.that(done.returncode == 0 and " 60.0 ->   70.0 " in done.stdout and not done.stderr,
                   f"{name} is compared")
        done = unspool("diff", name, "a.ndjson")
        check.that("no difference" in done.stdout, f"{name} is the same profile")
    with open("b.ndjson", "rb") as file:
        done = subprocess.run([UNSPOOL, "diff", "a.ndjson", "-"], stdin=file, capture_output=True, check=False)
    check.that(b" 60.0 ->   70.0 " in done.stdout, "standard input is compared")
    steady.write("one.ndjson", {"hot": 100})
    check.that("no difference: no change of 1 function is" in unspool("diff", "one.ndjson", "one.ndjson").stdout,
               "profiles of one stack are compared")
    steady.write("fast.ndjson", two(60), hz=1000)
    done = unspool("diff", "a.ndjson", "fast.ndjson")
    check.that(done.returncode == 0 and "The sampling rates differ (100 Hz -> 1000 Hz)" in done.stdout
               and "no difference" in done.stdout, "different sampling rates are noted")
    done = unspool("diff", "--units", "10,20", "-f", "json", "a.ndjson", "b.ndjson")
    hot = next(f for f in json.loads(done.stdout)["functions"] if f["name"] == "hot")
    check.equal([hot["self"]["before"], hot["self"]["after"]], [1800, 1050], "time per unit is compared")
    done = unspool("diff", "--top", "1", "-f", "markdown", "a.ndjson", "b.ndjson")
    check.that("hot" in done.stdout and "cold" not in done.stdout and "1 more function changed" in done.stdout,
               "--top limits the rows")


def source_maps(check):
    """The functions of two bundles match by their sources."""
    os.mkdir("maps")
    with open("maps/app.js.map", "w", encoding="utf-8") as file:
        json.dump({"version": 3, "sources": ["src/main.ts"], "names": [], "mappings": "AAAA;AACA"}, file)
    plain = unspool("diff", "--all", "a.ndjson", "b.ndjson")
    mapped = unspool("diff", "--all", "--source-maps", "maps", "--debug-dir", "maps", "a.ndjson", "b.ndjson")
    check.that("main.ts" not in plain.stdout and "/src/main.ts:2\n" in mapped.stdout, "source maps name functions")
    done = unspool("diff", "--source-maps", "no", "a.ndjson", "b.ndjson")
    check.equal((done.returncode, done.stdout), (2, ""), "a missing folder is wrong usage")


def bad_input(check):
    steady.write("newer.ndjson", two(60), schema=2)
    steady.write("empty.ndjson", {})
    write("p.pb.gz", gzip.compress(b"\x0a\x04\x08\x01\x10\x02\x12\x08"))
    write("text", b"hello\n")
    write("cut.gz", gzip.compress(b"{}\n")[:12])
    for words, status, error, args in (
            ("a newer schema", 1, "newer.ndjson:1: unknown schema version; a newer unspool may be able to read "
             "the profile", ["a.ndjson", "newer.ndjson"]),
            ("a profile without samples", 1, "empty.ndjson has no sample", ["empty.ndjson", "a.ndjson"]),
            ("a profile of pprof", 1, f"p.pb.gz:1: {STRANGE}", ["p.pb.gz", "a.ndjson"]),
            ("text", 1, f"text:1: {STRANGE}", ["a.ndjson", "text"]),
            ("a truncated file", 1, "cut.gz:1: the compressed data is truncated", ["a.ndjson", "cut.gz"]),
            ("a missing file", 1, "can't read no: No such file or directory", ["a.ndjson", "no"]),
            ("folded stacks per second", 2, "a.folded has no sampling rate or no duration; compare it with --per "
             "samples", ["--per", "seconds", "a.folded", "a.ndjson"]),
            ("one profile", 2, "missing arguments; use unspool diff BEFORE AFTER", ["a.ndjson"]),
            ("three profiles", 2, "unexpected argument 'c'; use unspool diff BEFORE AFTER", ["a", "b", "c"]),
            ("two standard inputs", 2, "only one of BEFORE and AFTER can be standard input", ["-", "-"]),
            ("units that are no numbers", 2, "--units: '3' is not two numbers above 0; write 1200,1350",
             ["--units", "3", "a", "b"]),
            ("units of 0", 2, "--units: '0,3' is not two numbers above 0; write 1200,1350", ["--units", "0,3", "a", "b"]),
            ("a threshold without a sign", 2, "--fail-on: '3%' is not a rise in percent; write +3%",
             ["--fail-on", "3%", "a", "b"]),
            ("two measures", 2, "use only one of --per and --units", ["--per", "seconds", "--units", "1,2", "a", "b"]),
            ("an unknown word", 2, "--per: 'second' is unknown; did you mean 'seconds'?", ["--per", "second", "a", "b"]),
            ("an unknown format", 2, "-f: 'html' is unknown; see --help", ["-f", "html", "a", "b"])):
        done = unspool("diff", *args)
        check.equal((done.returncode, done.stderr, done.stdout), (status, f"unspool: {error}\n", ""), words)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([UNSPOOL, "diff", "a.ndjson", "b.ndjson"], stdout=full, stderr=subprocess.PIPE,
                              check=False)
    check.equal((done.returncode, done.stderr), (1, b"unspool: can't write to standard output: No space left on "
                                                 b"device\n"), "a full disk")


def thresholds(check):
    for words, status, args in (("a rise of 10 points", 1, ["+3%", "a.ndjson", "b.ndjson"]),
                                ("a rise below the threshold", 0, ["+11%", "a.ndjson", "b.ndjson"]),
                                ("a rise within noise", 0, ["+0.5%", "a.ndjson", "bit.ndjson"]),
                                ("no change", 0, ["+0.1%", "a.ndjson", "a.ndjson"])):
        done = unspool("diff", "--fail-on", *args)
        check.equal(done.returncode, status, f"--fail-on: {words}")
        check.that("-> " in done.stdout, f"--fail-on: {words} is printed", quiet=True)
    done = unspool("diff", "--fail-on", "+3%", "a.ndjson", "b.ndjson")
    check.equal(done.stderr, "unspool: self of hot rose beyond noise and by more than 3 %: 60.0 -> 70.0 %\n",
                "the worst rise is named")


def main():
    check = Checks()
    with folder() as place:
        os.chdir(place)
        steady.write("a.ndjson", two(60))
        steady.write("b.ndjson", two(70))
        steady.write("bit.ndjson", two(61))
        good_input(check)
        source_maps(check)
        bad_input(check)
        thresholds(check)
        os.chdir("/")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
