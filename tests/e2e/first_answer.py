#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""first_answer.py [RUNS]: compares Unspool with other profilers in their answer to one question:
which function of a Node.js program uses the CPU?

Each tool is used as its documentation says, on a server with requests and on a minified bundle with
a source map. The script prints the first function of each answer, whether the function is the right
one, the seconds from the first command to the answer, and the number of steps: commands that a
person types, restarts of the program included.

It also measures the CPU time that each tool adds to a program with a fixed amount of work: RUNS (5;
0: none) rounds, in each of which every tool runs once. The figures are the median, least and most ratio to
the median without a tool. CPU time depends less on the load of the machine than elapsed time.
"""

import collections
import contextlib
import glob
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time

import results
from first_minute import free_port, requests
from first_minute_targets import BUILT, SOURCES, TARGETS, Missing, need
from lib import UNSPOOL, Checks, folder, need_bpf, running, skip

SECONDS = 5
PROGRAMS = {"express": "express server", "esbuild, minified": "esbuild bundle"}
JS_SYMBOL = re.compile(r"^JS:[*^+~'!]*(\S*) (\S+)")

Answer = collections.namedtuple("Answer", "name place")
NOTHING = Answer("", "")


class Program:
    """A target of first_minute.py that is started with options of Node.js."""

    def __init__(self, name):
        self.target = TARGETS[name]()
        self.port = free_port()
        self.is_server = "PORT" in self.target.argv
        argv = [str(self.port) if arg == "PORT" else arg for arg in self.target.argv]
        self.node, self.script = argv[0], argv[1:]
        if not self.is_server:
            self.script[-1] = str(SECONDS + 2)

    @contextlib.contextmanager
    def started(self, *before):
        """Runs the program, with these words instead of the path of Node.js."""
        with running([*(before or [self.node]), *self.script], cwd=self.target.cwd, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL) as child, contextlib.ExitStack() as stack:
            if self.is_server:
                stack.enter_context(requests(self.port, "/"))
            yield child

    def profiled(self, *before):
        """Runs the program under a tool, and ends it by Ctrl-C as a person does."""
        with self.started(*before) as child:
            if self.is_server:
                time.sleep(SECONDS)
                os.killpg(child.pid, signal.SIGINT)
            child.wait(timeout=120)

    def is_right(self, answer):
        name, place = self.target.hot
        return bool(re.search(name, answer.name) and re.search(place, answer.place))


def most(counts):
    return max(counts, key=counts.get) if counts else NOTHING


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          timeout=120, check=False, **options).stdout


def ask_unspool(program, tmp):
    with program.started() as child:
        since = time.monotonic()
        text = run(UNSPOOL, "record", "-p", str(child.pid), "-d", str(SECONDS), cwd=tmp)
    found = re.search(r"^your code: .* % in (.*)  (\S+)$", text, re.M)
    return (Answer(*found.groups()) if found else NOTHING), since


def ask_cpu_prof(program, tmp):
    since = time.monotonic()
    program.profiled(program.node, "--cpu-prof", f"--cpu-prof-dir={tmp}")
    counts = collections.Counter()
    for path in glob.glob(f"{tmp}/*.cpuprofile"):
        with open(path, encoding="utf-8") as file:
            profile = json.load(file)
        calls = {node["id"]: node["callFrame"] for node in profile["nodes"]}
        for sample in profile["samples"]:
            call = calls[sample]
            if call["functionName"] not in ("(idle)", "(program)", "(garbage collector)"):
                counts[Answer(call["functionName"], f"{call['url']}:{call['lineNumber'] + 1}")] += 1
    return most(counts), since


def ask_0x(program, tmp):
    since = time.monotonic()
    program.profiled(program.node, zero_x(), "--tree-debug", "-D", f"{tmp}/0x", "--", program.node)
    counts = collections.Counter()

    def add(node):
        words = re.match(r"(.*?) (\S+:\d+):\d+( \[.*)?$", node.get("name", ""))
        children = node.get("children", ())
        if words:
            own = node["value"] - sum(child["value"] for child in children)
            counts[Answer(words.group(1).lstrip("*~^+"), words.group(2))] += own
        for child in children:
            add(child)

    for path in glob.glob(f"{tmp}/0x/stacks.*.json"):
        with open(path, encoding="utf-8") as file:
            add(json.load(file)["merged"])
    return most(counts), since


def ask_perf(program, tmp, *options):
    since = time.monotonic()
    with program.started(program.node, *options) as child:
        if not options:
            since = time.monotonic()
        run("perf", "record", "-q", "-F", "99", "-g", "-o", f"{tmp}/perf.data", "-p", str(child.pid), "--", "sleep",
            str(SECONDS))
        text = run("perf", "report", "-i", f"{tmp}/perf.data", "--no-children", "--stdio", "-g", "none", "-F",
                   "overhead,symbol")
    first = re.search(r"^ +[0-9.]+% +\[.\] (.*?) *$", text, re.M)
    named = JS_SYMBOL.match(first.group(1)) if first else None
    if named:
        return Answer(named.group(1), re.sub(r":\d+$", "", named.group(2))), since
    return Answer(first.group(1) if first else "", ""), since


def zero_x():
    return need(os.path.join(BUILT, "npm/node_modules/0x/cmd.js"))


def ask_perf_with_map(program, tmp):
    return ask_perf(program, tmp, "--perf-basic-prof")


# Each tool: the number of steps, whether the program must be restarted, and a function.
TOOLS = {
    "Unspool": (1, False, ask_unspool),
    "node --cpu-prof": (3, True, ask_cpu_prof),
    "0x": (2, True, ask_0x),
    "perf": (2, False, ask_perf),
    "perf, node --perf-basic-prof": (3, True, ask_perf_with_map),
}


def compare_answers(check):
    for name, words in PROGRAMS.items():
        for tool, (steps, is_restarted, ask) in TOOLS.items():
            program = Program(name)
            with folder() as tmp:
                answer, since = ask(program, tmp)
                seconds = time.monotonic() - since
            right = program.is_right(answer)
            print(f"{words}: {tool}: {answer.name or 'no answer'} {answer.place}: {'right' if right else 'wrong'}, "
                  f"{seconds:.1f} s, {steps} steps", flush=True)
            results.add(key=[words, tool], program=words, tool=tool, steps=steps, restart=is_restarted, seconds=round(seconds, 1),
                        first=answer.name, place=os.path.basename(answer.place), right=right)
            if ask == ask_unspool:
                check.that(right, f"{words}: the first function of Unspool's report is the right one")
                check.that(not program.is_right(Answer("noFunction", answer.place)),
                           f"{words}: the judge refuses another function", quiet=True)


def overhead_commands(binary, tmp, file):
    fixed = [os.path.join(SOURCES, "node/fixed.js"), file]
    perf = ["perf", "record", "-q", "-F", "99", "-g", "-o", f"{tmp}/perf.data", "--", binary]
    return {
        "none": [binary, *fixed],
        "Unspool": [UNSPOOL, "record", "-q", "-o", f"{tmp}/x.ndjson", "--", binary, *fixed],
        "node --cpu-prof": [binary, "--cpu-prof", f"--cpu-prof-dir={tmp}", *fixed],
        "0x": [binary, zero_x(), "--collect-only", "-D", f"{tmp}/0x", "--", binary, *fixed],
        "perf": [*perf, *fixed],
        "perf, node --perf-basic-prof": [*perf, "--perf-basic-prof", *fixed],
    }


def measure_overhead(runs):
    """Measures the CPU time of the program in interleaved runs."""
    binary = Program("express").node
    times = collections.defaultdict(list)
    for _ in range(runs):
        with folder() as tmp:
            file = os.path.join(tmp, "cpu")
            for tool, command in overhead_commands(binary, tmp, file).items():
                run(*command, cwd=tmp)
                with open(file, encoding="ascii") as seconds:
                    times[tool].append(float(seconds.read()))
                os.unlink(file)
    base = statistics.median(times["none"])
    for tool, seconds in times.items():
        ratios = [round(100 * (s / base - 1), 1) for s in (statistics.median(seconds), min(seconds), max(seconds))]
        print(f"{tool}: {ratios[0]:+} % of CPU time (from {ratios[1]:+} to {ratios[2]:+})", flush=True)
        results.add(key=["overhead", tool], tool=tool, overhead=ratios, runs=runs, cpu_seconds=round(base, 2))


def main():
    need_bpf()
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    check = Checks()
    try:
        compare_answers(check)
        if runs:
            measure_overhead(runs)
    except Missing as err:
        skip(str(err))
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
