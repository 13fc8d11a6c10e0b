# SPDX-License-Identifier: BSD-2-Clause
"""docs/results/mutations.json: which test caught each fault, of several runs and their shards.

A result holds as long as its key: a hash of the fault and of the whole file that it changes. A
change elsewhere, of a test for example, leaves it in force; the commit of its run stands beside
it. Processes may share the file: each takes a lock, reads it anew, adds one result, replaces it.
"""

import datetime
import fcntl
import hashlib
import json
import os
import platform
import time

PART = "mutations"


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def key_of(fault, content):
    """@content: of the file, without the fault."""
    parts = [fault.path, fault.old, fault.new, content]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


class Results:
    """@keys: of all faults that there are, by name; @run: what is known of this run before it."""

    def __init__(self, file, keys, run):
        self.file, self.keys = file, keys
        self.start = time.monotonic()
        self.run = {**run, "date": now(), "kernel": platform.release(),
                    "cpus": os.cpu_count(), "load": [round(n, 2) for n in os.getloadavg()],
                    "seconds": 0, "figures": []}

    def read(self):
        """All runs of the file, less what this one has."""
        if not self.file.exists():
            return []
        return json.loads(self.file.read_text())["runs"]

    def caught_by(self):
        """A test for each fault, whether that result still holds or not."""
        return {figure["fault"]: figure["caught_by"] for run in self.read()
                for figure in run["figures"] if figure["caught_by"]}

    def holds(self):
        """The faults whose result holds: what caught them, or nothing."""
        return {figure["fault"]: figure["caught_by"] for run in self.read()
                for figure in run["figures"] if figure["key"] == self.keys.get(figure["fault"])}

    def add(self, name, test, seconds):
        """@test: what caught the fault, or nothing."""
        self.run["figures"].append({"fault": name, "caught_by": test, "seconds": round(seconds, 1),
                                    "key": self.keys[name]})
        self.run["seconds"] = round(time.monotonic() - self.start)
        lock = os.open(self.file.parent, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.write(self.merge())
        finally:
            os.close(lock)

    def merge(self):
        """The runs with this one, each fault in the newest; faults that are gone are left out."""
        mine = (self.run["date"], self.run["command"])
        older = [run for run in self.read() if (run["date"], run["command"]) != mine]
        done, runs = set(), []
        for run in [self.run, *reversed(older)]:
            figures = [figure for figure in run["figures"]
                       if figure["fault"] in self.keys and figure["fault"] not in done]
            done |= {figure["fault"] for figure in figures}
            if figures:
                runs.insert(0, {**run, "figures": figures})
        return runs

    def write(self, runs):
        found = [figure for run in runs for figure in run["figures"]
                 if figure["key"] == self.keys[figure["fault"]]]
        caught = sum(1 for figure in found if figure["caught_by"])
        result = "failed" if caught < len(found) else \
            "passed" if caught == len(self.keys) else "incomplete"
        head = {"schema": 1, "part": PART, "result": result,
                **{name: self.run[name] for name in ("commit", "date", "kernel", "cpus", "load")},
                "command": "tests/mutation/run --results docs/results/mutations.json",
                "seconds": sum(run["seconds"] for run in runs),
                "figures": [{"name": "faults", "value": len(self.keys)},
                            {"name": "caught", "value": caught},
                            {"name": "survived", "value": len(found) - caught},
                            {"name": "without a result", "value": len(self.keys) - len(found)}]}
        lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
        lines.append(' "runs": [' + ",\n  ".join(run_text(run) for run in runs) + "]")
        new = f"{self.file}.{os.getpid()}"
        with open(new, "w", encoding="utf-8") as out:
            out.write("{\n" + "\n".join(lines) + "\n}\n")
        os.replace(new, self.file)


def run_text(run):
    """A line a fault, so that a change of one is a change of one line."""
    head = {name: value for name, value in run.items() if name != "figures"}
    figures = ",\n   ".join(json.dumps(figure) for figure in run["figures"])
    return f'{json.dumps(head)[:-1]}, "figures": [\n   {figures}]}}'
