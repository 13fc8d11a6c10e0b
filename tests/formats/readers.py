# SPDX-License-Identifier: BSD-2-Clause
"""Reads each output format with a program that is not part of the project, and returns the samples
as a Read."""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))

# pylint: disable=wrong-import-position # beside
from lib import node, skip, unspool, version_of, wait_until

VIEWERS = os.environ.get("UNSPOOL_VIEWERS_DIR", "")
GO = "/usr/lib/go-1.19/bin/go"
SUFFIXES = {"pprof": "pb.gz", "speedscope": "speedscope.json", "firefox": "json.gz",
            "cpuprofile": "cpuprofile", "perf-script": "perf.txt", "svg": "svg"}
CONTROLS = {*range(32), *range(127, 160), 0x61C, 0x200E, 0x200F, 0x2028, 0x2029,
            *range(0x202A, 0x202F), *range(0x2066, 0x206A)}

# The number of samples, and the samples of each innermost function by its name. `threads`: the
# samples of each thread id, None if the program does not show threads.
Read = collections.namedtuple("Read", "samples self threads", defaults=(None,))


def need_viewers():
    """Ends the test as skipped if ci/viewers has not installed the programs."""
    if not os.access(os.path.join(VIEWERS, "made-of"), os.R_OK):
        skip("this test needs the programs of ci/viewers in UNSPOOL_VIEWERS_DIR")


def run(*argv, **options):
    done = subprocess.run(argv, capture_output=True, check=False, timeout=60, encoding="utf-8",
                          stdin=subprocess.DEVNULL, **options)
    if done.returncode:
        raise RuntimeError(f"{argv}: exit {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def package(name):
    return os.path.join(VIEWERS, "node_modules", name)


def summed(pairs):
    counts = collections.Counter()
    for name, n in pairs:
        counts[name] += n
    return +counts


def pprof_with_npm(path):
    """Returns all that pprof.mjs prints."""
    return json.loads(run(node(version_of("24")), os.path.join(HERE, "pprof.mjs"),
                          package("pprof-format"), path))


def pprof_with_go(path):
    """`go tool pprof` prints a line for each function: flat flat% sum% cum cum% name."""
    with tempfile.TemporaryDirectory(prefix="unspool-pprof-") as home:
        text = run(GO, "tool", "pprof", "-sample_index=samples", "-top", "-nodecount=1000000",
                   "-nodefraction=0", "-edgefraction=0", path,
                   env={**os.environ, "HOME": home, "PPROF_TMPDIR": home})
    total = int(re.search(r"(?:of|Total samples = ) ?(\d+)", text)[1])
    rows = re.findall(r"(?m)^ +(\d+) +\S+% +\S+% +\d+ +\S+% +(.*)$", text)
    return Read(total, summed((re.sub(r" \(inline\)$", "", name), int(n)) for n, name in rows))


def firefox(path):
    """Mozilla's own command line program of the Firefox Profiler. It runs a daemon, which may start
    slowly."""
    with tempfile.TemporaryDirectory(prefix="unspool-firefox-") as folder:
        env = {**os.environ, "PROFILER_CLI_SESSION_DIR": folder, "PROFILER_CLI_NO_SYMBOLICATE": "1"}
        program = [node(version_of("24")),
                   package("@firefox-devtools/profiler-cli/dist/profiler-cli.js")]

        def command(*args):
            return json.loads(run(*program, *args, "--json", env=env))

        def is_loaded():
            try:
                return bool(run(*program, "status", env=env))
            except RuntimeError:
                return False
        subprocess.run([*program, "load", path], env=env, capture_output=True, check=False, timeout=60)
        try:
            wait_until(is_loaded)
            return firefox_threads(command)
        finally:
            subprocess.run([*program, "stop"], env=env, capture_output=True, check=False, timeout=60)


def firefox_threads(command):
    rows, threads = [], collections.Counter()
    for thread in command("thread", "list", "--limit", "0")["threads"]:
        found = command("thread", "functions", "--thread", thread["threadHandle"], "--limit", "0",
                        "--include-idle")["functions"]
        of_thread = [(f["name"], round(f["selfSamples"])) for f in found]
        threads[thread["tid"]] += sum(n for _, n in of_thread)
        rows += of_thread
    return Read(sum(threads.values()), summed(rows), threads)


def cpuprofile(path):
    """A plain reader of the format: hits of the nodes, except for idle ones."""
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    idle = {n["id"] for n in profile["nodes"] if n["callFrame"]["functionName"] == "(idle)"}
    return Read(sum(i not in idle for i in profile["samples"]),
                summed((n["callFrame"]["functionName"] or "(anonymous)", n["hitCount"])
                       for n in profile["nodes"] if n["id"] not in idle))


def perf_with_flamegraph(path):
    """stackcollapse-perf.pl prints `command;root;...;leaf count`; its labels are the words before
    the file."""
    text = run("perl", os.path.join(VIEWERS, "FlameGraph/stackcollapse-perf.pl"), "--tid", path)
    rows = [line.rsplit(" ", 1) for line in text.splitlines()]
    threads = summed((int(re.search(r"/(\d+)$", stack.split(";")[0])[1]), int(n))
                     for stack, n in rows)
    return Read(sum(int(n) for _, n in rows),
                summed((stack.rsplit(";", 1)[-1].split(" ")[0], int(n)) for stack, n in rows), threads)


def speedscope_file(profiles, frames):
    """Sums the weights of the stacks of a file in speedscope's format, evented or sampled."""
    self = collections.Counter()
    for p in profiles:
        if p["type"] == "sampled":
            for stack, weight in zip(p["samples"], p["weights"], strict=True):
                self[frames[stack[-1]]["name"] if stack else ""] += weight
            continue
        open_frames, at = [], p["startValue"]
        for event in p["events"]:
            self[frames[open_frames[-1]]["name"] if open_frames else ""] += event["at"] - at
            at = event["at"]
            if event["type"] == "O":
                open_frames.append(event["frame"])
            else:
                assert open_frames.pop() == event["frame"]
    return self


def svg(path):
    """xmllint checks the syntax; the titles of the boxes have the names and samples, and a box lies
    above its caller."""
    run("xmllint", "--noout", path)
    boxes = []
    for group in xml.etree.ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}g"):
        title, rect = group[0].text, group[1]
        name, n = re.fullmatch(r"(?s)(.*), (\d+) samples, [\d.]+ %", title).groups()
        boxes.append((float(rect.get("y")), float(rect.get("x")), float(rect.get("width")), name, int(n)))
    self = collections.Counter()
    for y, x, width, name, n in boxes:
        above = sum(b[4] for b in boxes
                    if b[0] == y - 17 and x - 0.01 <= b[1] and b[1] + b[2] <= x + width + 0.02)
        self[re.sub(r" \([^()]*\)$", "", name)] += n - above
    self["all"] = 0
    return Read(next(b[4] for b in boxes if b[3] == "all"), +self)


def own_name(stack):
    """The name of the innermost frame in the formats."""
    if not stack["frames"]:
        return "[no frame]" if stack["status"] == "complete" else f"[{stack['status']}: {stack['reason']}]"
    f = stack["frames"][0]
    name = f.get("name")
    if not name and f.get("module"):
        base = f["module"].rsplit("/", 1)[-1]
        name = f"{base}+{f['off']}" if "off" in f else f"[{base}]"
    elif not name:
        name = f"[{f['kind']}{' ' + f['off'] if 'off' in f else ''}]"
    return "".join("?" if ord(c) in CONTROLS else c for c in name)


def reported(path):
    """Returns the samples that `report --json` prints."""
    stacks = [json.loads(line) for line in unspool("report", "--json", path).stdout.splitlines()]
    return Read(sum(s["count"] for s in stacks),
                summed((own_name(s), s["count"]) for s in stacks),
                summed((s["tid"], s["count"]) for s in stacks))


def convert(path, to, name):
    """Returns the path of the profile in a format."""
    os.makedirs(to, exist_ok=True)
    out = os.path.join(to, ("x.%t." if name == "cpuprofile" else "x.") + SUFFIXES[name])
    done = unspool("convert", path, out)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return out


def without_one_sample(path, to):
    """Copies a profile without the last sample of its longest line of samples."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    longest = max((l for l in lines if l["type"] == "samples"), key=lambda l: l["count"])
    longest["count"] -= 1
    longest["t"].pop()
    with open(to, "w", encoding="utf-8") as file:
        for line in lines:
            if line["type"] != "summary" and line.get("count") != 0:
                print(json.dumps(line), file=file)
    return to
