#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""real.py node MAJOR | dotnet: reads, repairs and checks jitdumps of real runtimes."""

import json
import os
import re
import shutil
import subprocess
import sys

from jd import DEBUG, LOAD, Checks, folder, jitdump, read, records, skip
from lib import node, version_of

PROGRAM = """
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
const end = Date.now() + 1000;
while (Date.now() < end) fib(22);
"""


def find(path):
    return [os.path.join(path, name) for name in os.listdir(path) if re.fullmatch(r"jit-\d+\.dump", name)]


def judge(checks, words, dump):
    """Checks that `dump` reads the same records as jd.py, and that `repair` loses no code."""
    data = read(dump)
    mine = list(records(data))
    done = jitdump("dump", "--json", dump)
    theirs = [json.loads(line) for line in done.stdout.splitlines()][1:]
    checks.equal([r["off"] for r in theirs], [at for at, _, _ in mine],
                 f"{words}: `dump` prints all {len(mine)} records")
    loads = [r for r in theirs if r["type"] == "load"]
    checks.that(loads and all(r["name"] for r in loads),
                f"{words}: each of {len(loads)} LOAD records has a name")
    fixed = os.path.join(os.path.dirname(dump), "fixed")
    os.mkdir(fixed)
    fixed = os.path.join(fixed, os.path.basename(dump))
    done = jitdump("repair", dump, "-o", fixed)
    checks.equal((done.returncode, jitdump("check", "-q", fixed).returncode), (0, 0),
                 f"{words}: `check` reports nothing for the repaired file")
    kept = [kind for _, kind, _ in records(read(fixed))]
    whole = sum("fault" not in r for r in loads)
    checks.equal(kept.count(LOAD), whole, f"{words}: `repair` keeps all valid LOAD records")
    had = [kind for _, kind, _ in mine].count(DEBUG)
    found = jitdump("check", "--all", "--json", dump).stdout.splitlines()
    blamed = {f["off"] for f in map(json.loads, found) if f["rule"].startswith("debug-")
              and f["severity"] == "error"}
    checks.equal(had - kept.count(DEBUG), len(blamed),
                 f"{words}: `repair` drops only the {len(blamed)} damaged ones of {had} line "
                 "tables")
    return fixed


def test_node(checks, major):
    binary = node(version_of(major))
    if not shutil.which("perf"):
        skip("perf is not installed")
    with folder() as path:
        with open(os.path.join(path, "hot.js"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)

        def perf(*args):
            return subprocess.run(["perf", "--buildid-dir", os.path.join(path, "ids"), *args], cwd=path,
                                  capture_output=True, text=True, timeout=120, check=False)
        done = perf("record", "-q", "-k", "1", "-e", "cpu-clock:u", "-F", "999", "-o", "perf.data", binary,
                    "--perf-prof", "hot.js")
        if done.returncode:
            skip("perf can't record on this machine: " + done.stderr.strip().split("\n")[-1])
        dump, = find(path)
        fixed = judge(checks, f"Node.js {major}", dump)
        checks.that(b"JS:" in read(dump) and b"fib" in read(dump),
                    "the jitdump has the program's function fib")
        os.replace(fixed, dump)
        done = perf("inject", "-j", "-i", "perf.data", "-o", "injected.data")
        report = perf("report", "-i", "injected.data", "--stdio", "-F", "overhead,sym", "-g", "none").stdout
        share = sum(float(n) for n in re.findall(r"^ +([0-9.]+)% +\[.\] JS:\S*fib", report, re.M))
        checks.that(done.returncode == 0 and share > 50,
                    f"with the repaired file fib has more than 50 % of perf's samples: {share} %")


def test_dotnet(checks):
    if not shutil.which("dotnet"):
        skip("no .NET")
    for granularity in (None, "2"):
        with folder() as path:
            env = {**os.environ, "DOTNET_PerfMapEnabled": "2", "DOTNET_PerfMapJitDumpPath": path,
                   "DOTNET_CLI_HOME": path, "DOTNET_NOLOGO": "1", "TMPDIR": path}
            if granularity:
                env["DOTNET_PerfMapStubGranularity"] = granularity
            done = subprocess.run(["dotnet", "help"], env=env, capture_output=True, timeout=120, check=False)
            dumps = find(path)
            words = f".NET with stubs {'one by one' if granularity else 'in blocks'}"
            if not checks.that(done.returncode == 0 and dumps,
                               f"{words}: the runtime wrote a jitdump"):
                continue
            largest = max(dumps, key=os.path.getsize)
            judge(checks, words, largest)
            kinds = [kind for _, kind, _ in records(read(largest))]
            if granularity:
                checks.that(kinds.count(LOAD) > 100,
                            f"{words}: the jitdump has more than 100 LOAD records: "
                            f"{kinds.count(LOAD)}")
            elif "partial-tail" in (said := jitdump("check", largest).stdout):
                checks.that("DOTNET_PerfMapStubGranularity=2" in said,
                            f"{words}: `check` prints the remedy if the runtime stopped "
                            "writing the jitdump")


def main():
    checks = Checks()
    if sys.argv[1] == "node":
        test_node(checks, sys.argv[2])
    else:
        test_dotnet(checks)
    return checks.end()


raise SystemExit(main())
