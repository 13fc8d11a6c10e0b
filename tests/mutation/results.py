# SPDX-License-Identifier: BSD-2-Clause
"""docs/results/mutations.json: which test caught each fault, from several runs and their shards.

Each result has the commit of its run and a key: a hash of the fault and of the code, without
comments, of the file that the fault changes. A result is current as long as the key is the same,
even if other files change, for example tests. Several processes may write mutations.json: to add a
result, a process takes a lock, reads the file again, adds the result and replaces the file.
"""

import hashlib
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import runs  # noqa: E402

COMMAND = "tests/mutation/run --results docs/results/mutations.json"


def code_of(text):
    """The text with each run of white space as one blank and, for C, without comments."""
    words = r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\')|/\*.*?(?:\*/|\Z)|//[^\n]*'
    return " ".join(re.sub(words, lambda m: m[1] or " ", text, flags=re.S).split())


def key_of(fault, content):
    """Returns the key of a fault. @content: text of the file without the fault."""
    parts = [fault.path, *map(code_of, (fault.old, fault.new, content))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


class Results:
    """@keys: the keys of all faults, by name; @command: the command of this run."""

    def __init__(self, file, keys, command):
        self.file, self.keys = file, keys
        self.start = time.monotonic()
        self.run = runs.begin(command)

    def caught_by(self):
        """The test that caught each fault, whether the result is current or not."""
        return {figure["fault"]: figure["caught_by"] for run in runs.read(self.file)["runs"]
                for figure in run["figures"] if figure["caught_by"]}

    def current(self):
        """{fault: the test that caught it, or nothing}, for all faults with a current result."""
        return {figure["fault"]: figure["caught_by"] for run in runs.read(self.file)["runs"]
                for figure in run["figures"] if figure["key"] == self.keys.get(figure["fault"])}

    def add(self, name, test, seconds):
        """@test: the test that caught the fault, or nothing."""
        self.run["figures"].append({"fault": name, "caught_by": test, "seconds": round(seconds, 1),
                                    "key": self.keys[name]})
        runs.end(self.run, time.monotonic() - self.start)
        with runs.locked(self.file):
            self.write(self.merge())

    def merge(self):
        """All runs, including this one. Each fault is in its newest run only; deleted faults are
        left out."""
        mine = (self.run["date"], self.run["command"])
        older = [run for run in runs.read(self.file)["runs"] if (run["date"], run["command"]) != mine]
        done, merged = set(), []
        for run in [self.run, *reversed(older)]:
            figures = [figure for figure in run["figures"]
                       if figure["fault"] in self.keys and figure["fault"] not in done]
            done |= {figure["fault"] for figure in figures}
            if figures:
                merged.insert(0, {**run, "figures": figures})
        return merged

    def write(self, merged):
        found = [figure for run in merged for figure in run["figures"]]
        caught = sum(1 for figure in found if figure["caught_by"])
        changed = sum(1 for figure in found if figure["key"] != self.keys[figure["fault"]])
        result = "failed" if caught < len(found) else \
            "passed" if caught == len(self.keys) else "incomplete"
        figures = [{"name": "faults", "value": len(self.keys)},
                   {"name": "caught", "value": caught},
                   {"name": "survived", "value": len(found) - caught},
                   {"name": "without a result", "value": len(self.keys) - len(found)},
                   {"name": "whose file has changed since", "value": changed}]
        runs.write(self.file, "mutations", COMMAND, result, self.run, figures, merged)
