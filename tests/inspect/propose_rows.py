#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""propose_rows.py LIVE_V8 NODE V8 RELEASE STOPS SCRIPT...: proposes rows for a new V8.

LIVE_V8 judges live processes with a table of versions that ends before V8 (MAJOR.MINOR), and counts
the functions that confirm and contradict the layout (inspect/v8/v8_probe.c). If more functions
contradict than confirm an aspect of the layout, or if the binary's metadata lacks a field, values
for the fields of that aspect are tried one after the other. The value with the most exact stacks is
kept, until all stacks are exact or no value helps. Prints the rows for inspect/v8/v8_versions.c;
their source in RELEASE must be added by hand. Exit status 1: no rows make the layout fit.

propose_rows.py --self-test: the search finds two planted values, and reports that a third one,
which is not among the candidate values of the field, is missing.
"""

import os
import pathlib
import re
import subprocess
import sys

MAX_ROWS = 4
EXACT = 0.98  # share of the judged stacks that must be exact; a walk without rows misses some

# Candidate values of the fields, grouped by the aspects on which functions vote in v8_probe.c.
CANDIDATES = {
    "names": {
        "sfi_data": range(8, 32, 8),
        "scope_slots": (8, 16),
        "scope_module_type": range(0, 8),
    },
    "lines": {
        "positions_v14": (0, 1),
        "bytecode_positions": range(16, 56, 8),
        "bytecode_data": range(48, 74, 2),
    },
    "code": {
        "code_flags": range(40, 64, 4),
        "code_size": range(40, 64, 4),
        "code_deopt": range(8, 32, 8),
        "code_start": range(32, 64, 8),
    },
}

TALLY = re.compile(r"^\S+: leaf (\d+)/(\d+) between (\d+)/(\d+) window (\d+)/(\d+)", re.M)
VOTES = re.compile(
    r"^(names|lines|code): (\d+) functions confirm the layout, (\d+) contradict it$", re.M)
LACKS = re.compile(r"^the metadata lacks (\S+)$", re.M)


def field_of(symbol):
    """The layout field for which the metadata should have a symbol."""
    header = pathlib.Path(__file__).parents[2] / "inspect/v8/v8_layout.h"
    found = re.search(r"X\((\w+), \"" + re.escape(symbol) + r"\"\)", header.read_text("utf-8"))
    return found and found[1]


class Outcome:
    """The result of one run of the judge."""

    def __init__(self, text):
        tally = TALLY.search(text)
        counts = [int(n) for n in tally.groups()] if tally else [0] * 6
        self.exact, self.judged = sum(counts[::2]), sum(counts[1::2])
        self.votes = {aspect: int(fit) - int(misfit) for aspect, fit, misfit in VOTES.findall(text)}
        lacks = LACKS.search(text)
        self.lacks = lacks[1] if lacks else None

    def is_good(self):
        """Do the stacks confirm the layout?"""
        return self.judged > 0 and self.exact >= self.judged * EXACT

    def score(self):
        """Compares outcomes: metadata complete, exact stacks, functions that confirm the layout."""
        votes = [max(-1, min(1, self.votes.get(aspect, 0))) for aspect in CANDIDATES]
        share = self.exact / self.judged if self.judged else 0
        return (self.lacks is None, share, sum(votes))

    def candidates(self):
        """{field: candidate values}, for the fields that may be wrong in the layout."""
        if self.lacks:
            field = field_of(self.lacks)
            return {field: range(8, 72, 4)} if field else {}
        against = [aspect for aspect in CANDIDATES if self.votes.get(aspect, 0) < 0]
        return {f: v for a in against or CANDIDATES for f, v in CANDIDATES[a].items()}


def search(judge, scripts):
    """The values that fit best, {field: value}, or None. judge(script, plants): an Outcome."""
    plants = {}
    for _ in range(MAX_ROWS + 1):
        outcomes = [(script, judge(script, plants)) for script in scripts]
        bad = [(script, outcome) for script, outcome in outcomes if not outcome.is_good()]
        if not bad:
            return plants
        script, before = bad[0]
        best, kept = before.score(), None
        for candidate in ((f, v) for f, vs in before.candidates().items() for v in vs):
            outcome = judge(script, plants | dict([candidate]))
            if outcome.score() > best:
                best, kept = outcome.score(), candidate
            if outcome.is_good():
                break
        if kept is None:
            return None
        plants[kept[0]] = kept[1]
    return None


def live_judge(live, node, v8, stops):
    """Runs LIVE_V8 with planted values."""

    def judge(script, plants):
        planted = ",".join(f"{field}={value}" for field, value in plants.items())
        environ = {**os.environ, "LIVE_V8_TRIED": v8, "LIVE_V8_PLANT": planted}
        run = subprocess.run(
            [live, node, stops, script], env=environ, stdout=subprocess.PIPE, text=True, check=False
        )
        return Outcome(run.stdout)

    return judge


def self_test():
    """Searches with a judge that two values satisfy, then with a judge that no value satisfies."""

    def outcome_for(plants, truth):
        good = all(plants.get(field) == value for field, value in truth.items())
        lines = 9 if plants.get("bytecode_positions") == truth["bytecode_positions"] else -9
        if plants.get("sfi_data") != truth["sfi_data"]:
            return Outcome("the metadata lacks class_SharedFunctionInfo__function_data__\n")
        return Outcome(
            f"x.js: leaf {9 * good}/9 between 0/0 window 0/0 elsewhere\n"
            "names: 9 functions confirm the layout, 0 contradict it\n"
            f"lines: {max(lines, 0)} functions confirm the layout, "
            f"{max(-lines, 0)} contradict it\n"
        )

    truth = {"sfi_data": 24, "bytecode_positions": 40}
    assert search(lambda _, plants: outcome_for(plants, truth), ["x.js"]) == truth
    truth["bytecode_positions"] = 1000
    assert search(lambda _, plants: outcome_for(plants, truth), ["x.js"]) is None
    print("the search found two planted values and reported that it cannot find a third")
    return 0


def main(argv):
    """Described at the top of this file."""
    if argv[1:] == ["--self-test"]:
        return self_test()
    live, node, v8, _, stops, *scripts = argv[1:]
    plants = search(live_judge(live, node, v8, stops), scripts)
    if plants is None:
        return 1
    major_minor = v8.replace(".", ", ")
    for field, value in plants.items():
        print(f'\tSINCE({major_minor}, {field}, {value}, "source of {argv[4]}"),')
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
