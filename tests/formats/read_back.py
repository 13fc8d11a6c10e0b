#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""read_back.py BIG_PROFILE MAKE_PROFILE [FORMAT]: converts profiles to each format of a viewer, or
to FORMAT, and reads them back with programs that are not part of the project. The samples, in all,
by innermost function and by thread, must be those of `unspool report --json`; a profile that has
one sample less must differ in every format."""

import collections
import gzip
import json
import os
import sys

import readers
from lib import Checks, at_once, folder, node, unspool, version_of


def read_pprof(path):
    p = readers.pprof_with_npm(path)
    return readers.Read(p["samples"], collections.Counter(p["self"]),
                        collections.Counter({int(tid): n for tid, n in p["threads"].items()}))


def read_speedscope(path):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    period = 1000000000 // 99
    self = readers.speedscope_file(profile["profiles"], profile["shared"]["frames"])
    return readers.Read(sum(self.values()) / period, collections.Counter(
        {name: n / period for name, n in self.items()}))


def read_cpuprofiles(path):
    """Adds up the files of all threads, whose names have the thread's id in place of %t."""
    start, end = path.split("%t")
    whole = readers.Read(0, collections.Counter(), collections.Counter())
    for name in sorted(os.listdir(os.path.dirname(path))):
        full = os.path.join(os.path.dirname(path), name)
        if full.startswith(start) and full.endswith(end):
            read = readers.cpuprofile(full)
            whole.threads[int(full[len(start):-len(end)].split("-")[0])] += read.samples
            whole = readers.Read(whole.samples + read.samples, whole.self + read.self, whole.threads)
    return whole


FLAMEGRAPH = "FlameGraph/stackcollapse-perf.pl"
READERS = {
    "pprof": {"pprof-format": read_pprof, "go tool pprof": readers.pprof_with_go},
    "speedscope": {"its keys": read_speedscope},
    "firefox": {"profiler-cli": readers.firefox},
    "cpuprofile": {"its nodes": read_cpuprofiles},
    "perf-script": {"stackcollapse-perf.pl": readers.perf_with_flamegraph},
    "svg": {"its titles": readers.svg},
}


def differences(read, want):
    found = [] if read.samples == want.samples else ["samples"]
    found += [] if read.self == want.self else ["functions"]
    return found + ([] if read.threads in (None, want.threads) else ["threads"])


def same_samples(check, profile, tmp, formats):
    want = readers.reported(profile)
    spoilt = readers.without_one_sample(profile, os.path.join(tmp, "spoilt.ndjson"))

    def part(name, program, read):
        good = read(readers.convert(profile, os.path.join(tmp, name, program, "good"), name))
        less = read(readers.convert(spoilt, os.path.join(tmp, name, program, "spoilt"), name))
        check.equal(differences(good, want), [], f"{name}: {program} reads the samples of the report")
        check.that("samples" in differences(less, want) and "functions" in differences(less, want),
                   f"{name}: {program} shows a missing sample")
    parts = [(name, program, read) for name in formats for program, read in READERS[name].items()]
    at_once(3, [lambda p=p: part(*p) for p in parts])


def text_of(path, name):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        return file.read().replace("\n", "").replace("\t", "" if name == "perf-script" else "\t")


def hostile_names(check, make_profile, tmp):
    """Names with control characters, quotes and markup keep each format valid and harmless."""
    profile = os.path.join(tmp, "hostile.ndjson")
    with open(profile, "w", encoding="utf-8") as file:
        file.write(readers.run(make_profile, "whole"))
    want = readers.reported(profile)
    counts = {
        "pprof": lambda path: readers.pprof_with_npm(path)["samples"],
        "firefox": lambda path: sum(t["samples"]["length"] for t in json.loads(text_of(path, ""))["threads"]),
        "speedscope": lambda path: round(read_speedscope(path).samples),
        "cpuprofile": lambda path: read_cpuprofiles(path).samples,
        "svg": lambda path: readers.svg(path).samples,
        "perf-script": lambda path: text_of(path, "perf-script").count(": 1 cpu-clock:"),
    }
    for name, count in counts.items():
        path = readers.convert(profile, os.path.join(tmp, "hostile"), name)
        check.equal(count(path), want.samples, f"{name}: all samples are there despite hostile names")
        if name not in ("pprof", "cpuprofile"):
            check.that(not readers.CONTROLS & {ord(c) for c in text_of(path, name)},
                       f"{name}: the text has no control or bidirectional character")
    path = readers.convert(profile, os.path.join(tmp, "hostile"), "pprof")
    read = readers.pprof_with_npm(path)
    check.that(not readers.CONTROLS & {ord(c) for c in "".join(read["self"])},
               "pprof: no name has a control or bidirectional character")
    check.equal(read["labels"], ["activity", "guess", "pid", "process", "reason", "status", "thread", "tid"],
                "pprof: the labels are those of the format table")
    statuses = readers.summed((json.loads(line)["status"], json.loads(line)["count"]) for line in
                              unspool("report", "--json", profile).stdout.splitlines())
    check.equal(collections.Counter(read["statuses"]), statuses, "pprof: samples have the status of their stack")
    check.equal(read["cpu"], read["samples"] * read["period"], "pprof: a sample counts as one period of CPU time")


def shape(value):
    """Returns the keys and types of JSON, where all elements of a list are taken for one."""
    if isinstance(value, dict):
        return {key: shape(v) for key, v in value.items()}
    if isinstance(value, list):
        merged = {}
        for v in map(shape, value):
            if not isinstance(v, dict):
                merged = v
            elif isinstance(merged, dict):
                merged.update(v)
        return [merged]
    return type(value).__name__


def faults_of_cpuprofile(p):
    """Checks what V8's profiles fulfil; returns the names of faults."""
    nodes = {n["id"]: n for n in p["nodes"]}
    children = [c for n in p["nodes"] for c in n.get("children", [])]
    seen = collections.Counter(p["samples"])
    rules = {
        "the first node is not (root)": p["nodes"][0]["callFrame"]["functionName"] == "(root)",
        "ids repeat": len(nodes) == len(p["nodes"]),
        "a node has not one parent": sorted(children) == sorted(set(nodes) - {p["nodes"][0]["id"]}),
        "a sample has no node": set(seen) <= set(nodes),
        "samples and times differ in number": len(p["samples"]) == len(p["timeDeltas"]),
        "the times exceed the profile": p["startTime"] + sum(p["timeDeltas"]) <= p["endTime"],
        # V8 itself drops some samples at both ends.
        "hits are not samples": all(abs(seen[i] - n["hitCount"]) <= 2 + len(p["samples"]) // 50
                                    for i, n in nodes.items()),
        "ticks exceed hits": all(sum(t["ticks"] for t in n.get("positionTicks", [])) <= n["hitCount"]
                                 for n in p["nodes"]),
        "a line is not from 0": all(n["callFrame"]["lineNumber"] >= -1 for n in p["nodes"]),
    }
    return [words for words, good in rules.items() if not good]


def like_v8(check, profile, tmp):
    """A .cpuprofile has the keys, types and rules of one that node:inspector makes."""
    v8 = json.loads(readers.run(node(version_of("24")), os.path.join(readers.HERE, "v8_profile.mjs")))
    out = os.path.join(tmp, "one.cpuprofile")
    unspool("convert", profile, out)
    with open(out, encoding="utf-8") as file:
        ours = json.load(file)
    check.equal(shape(ours), shape(v8), "cpuprofile: keys and types are those of node:inspector")
    check.equal(faults_of_cpuprofile(v8), [], "cpuprofile: the rules hold for node:inspector")
    check.equal(faults_of_cpuprofile(ours), [], "cpuprofile: the rules hold for unspool")
    work = next(n for n in v8["nodes"] if n["callFrame"]["functionName"] == "work")
    with open(os.path.join(readers.HERE, "v8_profile.mjs"), encoding="utf-8") as file:
        line = next(i for i, text in enumerate(file) if text.startswith("function work"))
    check.equal(work["callFrame"]["lineNumber"], line, "cpuprofile: node:inspector counts lines from 0")
    first = next(n for n in ours["nodes"] if n["callFrame"]["url"])
    number = int(first["callFrame"]["functionName"].removeprefix("function"))
    check.equal(first["callFrame"]["lineNumber"], number % 700, "cpuprofile: unspool counts lines from 0")
    for spoil in (lambda p: p["timeDeltas"].pop(), lambda p: p["samples"].__setitem__(0, 10 ** 9),
                  lambda p: p["nodes"][3].__setitem__("hitCount", 10 ** 6),
                  lambda p: p["nodes"][0]["children"].pop()):
        copy = json.loads(json.dumps(ours))
        spoil(copy)
        check.that(faults_of_cpuprofile(copy), "cpuprofile: a spoilt profile breaks a rule")


def main():
    big_profile, make_profile, *perf_script = sys.argv[1:]
    check = Checks()
    readers.need_viewers()
    if perf_script and not os.path.exists(os.path.join(readers.VIEWERS, FLAMEGRAPH)):
        print("stackcollapse-perf.pl is missing; ci/viewers fetches it")
        return 77
    with folder() as tmp:
        profile = os.path.join(tmp, "p.ndjson")
        with open(profile, "w", encoding="utf-8") as file:
            file.write(readers.run(big_profile, "1200", "80", "3"))
        same_samples(check, profile, tmp, perf_script or [f for f in READERS if f != "perf-script"])
        if perf_script:
            return check.end()
        hostile_names(check, make_profile, tmp)
        like_v8(check, profile, tmp)
    return check.end()


sys.exit(main())
