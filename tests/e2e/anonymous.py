#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests which names leave the machine with a profile. Plants a token in each place that has names,
and searches for the tokens in profiles, before and after `convert --anonymize`."""

import gzip
import os
import re
import subprocess
import sys

from lib import (BUSY, UNSPOOL, Checks, Profile, folder, need_bpf, node, running, unspool,
                 version_of, wait_until)

SCRIPT = """process.title = process.env.TITLE;
function in_FUNCTION(x) { for (let i = 0; i < 1e5; i++) x = (x * 31 + i) | 0; return x; }
console.log("running");
for (;;) in_FUNCTION(process.argv.length);
"""
SUFFIXES = ("ndjson", "ndjson.gz", "folded", "html", "pb.gz", "speedscope.json", "json.gz",
            "cpuprofile", "perf.txt", "svg")
# Tokens begin with a letter that no hash contains, so that a hash can't contain a token.
TOKENS = {place: f"Zq{place.lower()}Token{i}" for i, place in enumerate(
    ("ARGUMENT", "ENVIRONMENT", "TITLE", "HOST", "FOLDER", "FILE", "FUNCTION"))}


def found(data):
    """Returns the places whose tokens are in @data."""
    return {place for place, token in TOKENS.items() if token.encode() in data}


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def text_of(path):
    """Returns the bytes of a file, and those that it holds in compressed form."""
    data = contents(path)
    if path.endswith(".html"):
        return data + unspool("convert", path, "-", "-f", "ndjson").stdout.encode()
    return gzip.decompress(data) if path.endswith(".gz") else data


def has_samples(path):
    return os.path.exists(path) and b'"type":"samples"' in contents(path)


def make_script(tmp):
    os.mkdir(os.path.join(tmp, TOKENS["FOLDER"]))
    path = os.path.join(tmp, TOKENS["FOLDER"], TOKENS["FILE"] + ".js")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SCRIPT.replace("FUNCTION", TOKENS["FUNCTION"]))
    return path


def record(script, out, *options):
    """Records the script, which runs on a host with a planted name. Returns the contents of the
    .partial file during the recording, and those of the profile."""
    env = dict(os.environ, TITLE=TOKENS["TITLE"], PRIVATE=TOKENS["ENVIRONMENT"])
    with running(["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', TOKENS["HOST"],
                  UNSPOOL, "record", "-q", "-F", "997", "-o", out, "-d", "1500ms", *options, "--",
                  node(version_of("24")), script, TOKENS["ARGUMENT"]],
                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env) as child:
        partial = os.path.join(os.path.dirname(out), f".{os.path.basename(out)}.partial")
        wait_until(lambda: has_samples(partial))
        before = contents(partial)
        child.wait()
    return before, contents(out)


def recorded(check, tmp, script):
    """Returns the path of a recorded profile."""
    out = os.path.join(tmp, "plain.ndjson")
    partial, plain = record(script, out)
    kept = found(record(script, os.path.join(tmp, "arguments.ndjson"), "--keep-args")[1])
    check.equal(sorted(found(plain)), ["FILE", "FOLDER", "FUNCTION", "TITLE"],
                "a profile has names of functions, files and processes, but no arguments, no "
                "environment and no host name")
    check.equal(found(partial) - found(plain), set(),
                "the .partial file has no other names than the profile")
    check.equal(sorted(kept - found(plain)), ["ARGUMENT"],
                "with --keep-args the profile also has the arguments")
    return out


def plain_formats(check, tmp, path):
    """Without --anonymize, each format has the name of the function."""
    for suffix in SUFFIXES:
        out = os.path.join(tmp, f"plain.{suffix}")
        unspool("convert", "-q", path, out)
        check.that("FUNCTION" in found(text_of(out)), f"convert: .{suffix} has the name of the "
                   "function")


def anonymized(check, tmp, path):
    """Converts a profile with each form of --anonymize and to each kind of output."""
    plain, key = Profile(path), os.path.join(tmp, "key")
    with open(key, "w", encoding="utf-8") as file:
        file.write("a key\n")
    cases = (("--anonymize", {"FUNCTION"}), ("--anonymize=a key", {"FUNCTION"}),
             ("--anonymize=all", set()), (f"--anonymize=all,@{key}", set()))
    texts = {}
    for option, left in cases:
        for suffix in SUFFIXES:
            out = os.path.join(tmp, f"out.{suffix}")
            done = unspool("convert", "-q", option, path, out)
            texts[option, suffix] = text_of(out)
            check.equal((done.returncode, found(texts[option, suffix])), (0, left),
                        f"convert {option}: .{suffix} has only these planted names")
        report = unspool("report", os.path.join(tmp, "out.ndjson"))
        check.equal((report.returncode, found(report.stdout.encode())), (0, left),
                    f"convert {option}: the report has only these planted names")
        profile = Profile(os.path.join(tmp, "out.ndjson"))
        check.equal([len(profile.of(kind)) for kind in ("frame", "stack", "samples")],
                    [len(plain.of(kind)) for kind in ("frame", "stack", "samples")],
                    f"convert {option}: no line is lost")
        check.equal(profile.summary, plain.summary, f"convert {option}: the summary is the same")
        runtimes = {p.get("runtime") for p in profile.of("process")}
        check.that(any(re.fullmatch(r"Node\.js [0-9.]+", r or "") for r in runtimes),
                   f"convert {option}: the version of Node.js is kept: {runtimes}")
    again = unspool("convert", "--anonymize=a key", path, "-", "-f", "ndjson").stdout.encode()
    check.that(again == texts["--anonymize=a key", "ndjson"], "the same key gives the same hashes")
    again = unspool("convert", "--anonymize", path, "-", "-f", "ndjson").stdout.encode()
    check.that(again != texts["--anonymize", "ndjson"], "random keys give different hashes")


def refusals(check, path):
    for option in ("--anonymize=", "--anonymize=all,", "--anonymize=@/nothing"):
        done = unspool("convert", option, path, "-", "-f", "ndjson")
        check.equal((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1),
                    f"`convert` refuses {option} in one line: {done.stderr.strip()!r}")


def native(check, tmp):
    """The header of a profile names the program without its path's owner or arguments."""
    out = os.path.join(tmp, "native.ndjson")
    unspool("record", "-q", "-F", 997, "-o", out, BUSY, 300, TOKENS["ARGUMENT"])
    check.equal(Profile(out).of("header")[0]["command"], BUSY,
                "the header has the program of COMMAND, without its arguments")


def main():
    need_bpf()
    check = Checks()
    with folder() as tmp:
        path = recorded(check, tmp, make_script(tmp))
        plain_formats(check, tmp, path)
        anonymized(check, tmp, path)
        refusals(check, path)
        native(check, tmp)
    return check.end()


sys.exit(main())
