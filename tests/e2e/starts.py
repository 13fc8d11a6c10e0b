#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""starts.py MAJOR [SECONDS]: compares the starts of functions with those that V8's own profiler
reports.

Both profilers record the same process (node --cpu-prof). Each function that V8's profiler reports
must be in the profile with the same start line and column. Functions that start on the same line
must have separate rows in the report and separate labels in folded stacks, and the first row must
be the program's hottest function. The comparison must fail for a profile from which the starts have
been removed.
"""

import collections
import json
import os
import sys

from lib import TOP, Checks, folder, need_bpf, node, record, unspool, version_of

PROGRAM = os.path.join(TOP, "fixtures/node/starts.js")
ENOUGH = 1.0  # a function with at least this percentage of V8's samples must be in the profile
MOST_POINTS = 12.0  # allowed difference of a share; the machine is loaded, samples are few


def ours(profile):
    counts = collections.Counter()
    for count, _, frames, _ in profile.samples():
        own = next((f for f in frames if f.get("file") == PROGRAM), None)
        if own:
            counts[own["name"], own.get("start_line"), own.get("start_column")] += count
    return counts


def theirs(folder_):
    path = next(name for name in os.listdir(folder_) if name.endswith(".cpuprofile"))
    with open(os.path.join(folder_, path), encoding="utf-8") as file:
        profile = json.load(file)
    nodes = {n["id"]: n for n in profile["nodes"]}
    parents = {child: n["id"] for n in nodes.values() for child in n.get("children", ())}
    counts = collections.Counter()
    for at in profile["samples"]:
        while at is not None and nodes[at]["callFrame"]["url"] != "file://" + PROGRAM:
            at = parents.get(at)
        if at is not None:
            call = nodes[at]["callFrame"]
            counts[call["functionName"] or "(anonymous)", call["lineNumber"] + 1,
                   call["columnNumber"] + 1] += 1
    return counts


def agree(a, b):
    """Returns whether each function that is frequent in V8's profile (@b) has about the same share
    in @a."""
    often = {f for f, n in b.items() if 100 * n / b.total() >= ENOUGH}
    return len(often) > 3 and all(
        abs(100 * a[f] / a.total() - 100 * b[f] / b.total()) <= MOST_POINTS and a[f]
        for f in often)


def rows(path, *args):
    done = unspool("report", "-f", "json", *args, path)
    return json.loads(done.stdout)["sections"][0]["rows"]


def without_starts(path, to):
    with open(path, encoding="utf-8") as file, open(to, "w", encoding="utf-8") as out:
        for line in map(json.loads, file):
            line.pop("start_line", None)
            line.pop("start_column", None)
            out.write(json.dumps(line) + "\n")


def places(path, line):
    """Returns the source position in each row whose function starts on this line of the program."""
    begin = f"{PROGRAM}:{line}:"
    return sorted(row["where"] for row in rows(path, "--only", "app")
                  if f"{row['where']}:".startswith(begin))


def check_report(check, path, found):
    of_line = {line for _, line, _ in found}
    for line in sorted(of_line):
        starts = sorted({column for _, at, column in found if at == line})
        want = [f"{PROGRAM}:{line}:{column}" for column in starts] if len(starts) > 1 else [
            f"{PROGRAM}:{line}"]
        got = places(path, line)
        check.that(set(want) <= set(got),
                   f"line {line}: the report has a row for each of the {len(starts)} functions "
                   "that start in this line")
    first = rows(path, "--only", "app", "--top", "1")[0]
    check.equal(first["name"], "hot",
                "the first row of the report is the program's hottest function")
    text = unspool("report", path).stdout.splitlines()
    check.that("your code: " in text[3] and f" in hot  {PROGRAM}:" in text[3],
               "the report begins with the program's hottest function")


def boxes(path, tmp):
    """Returns the labels of hot() in folded stacks."""
    folded = os.path.join(tmp, "p.folded")
    unspool("convert", path, folded)
    with open(folded, encoding="utf-8") as file:
        labels = {label for line in file for label in line.rsplit(" ", 1)[0].split(";")}
    return {label for label in labels if label.startswith("hot (")}


def main():
    need_bpf()
    version = version_of(sys.argv[1])
    seconds = sys.argv[2] if len(sys.argv) > 2 else "3"
    check = Checks()
    with folder() as tmp:
        path, bare = os.path.join(tmp, "p.ndjson"), os.path.join(tmp, "bare.ndjson")
        argv = [node(version), "--cpu-prof", "--cpu-prof-dir", tmp, PROGRAM, seconds]
        done, profile = record("--", *argv, out=path, timeout=60)
        if not check.that(profile, f"{version}: `record` wrote a profile: {done.stderr.strip()}"):
            return check.end()
        found, wanted = ours(profile), theirs(tmp)
        for f, n in wanted.most_common(8):
            print(f"  {f}: {100 * found[f] / found.total():.1f} %, V8: {100 * n / wanted.total():.1f} %")
        check.that(agree(found, wanted),
                   f"{version}: functions have the same start positions as in V8's profile")
        check_report(check, path, {f for f in found if f[1]})
        check.equal(len(boxes(path, tmp)), 1, "a function has the same label in all folded stacks")
        without_starts(path, bare)
        lost = type(profile)(bare)
        check.that(not agree(ours(lost), wanted),
                   "the comparison fails if functions lack start positions")
        line = max((line for _, line, _ in found if line), key=lambda at: sum(
            at == other for _, other, _ in found))
        check.that(len(places(path, line)) > len([p for p in places(bare, line) if p.count(":") > 1]),
                   "functions that start in the same line share a row if they lack start positions")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
