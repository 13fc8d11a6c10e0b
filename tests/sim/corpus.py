#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""corpus.py UNSPOOL_SIM RECORDED ENGINE: the replay of every recorded case gives the recorded
walk, and the replay of a case with a changed return address does not."""

import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

MAX_CASE, MAX_ALL = 100_000, 2_300_000
PT_LOAD = 1


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def that(self, good, words):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAILED: {words}")

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


def run(sim, engine, paths, tmp):
    """Returns {case: its line of JSON}; ends the test if the engine cannot run."""
    out = os.path.join(tmp, "out.json")
    done = subprocess.run([sim, "run", "-q", "--engine", engine, "--json", out, *paths],
                          capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == 3:
        print(done.stderr.strip())
        sys.exit(77)
    with open(out, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return {line["case"]: line for line in lines if line["engine"] == engine}


def place_of(data, addr):
    """Returns the file offset of eight bytes of memory in a case; None: not in the case."""
    start, (size, count) = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, _, off, vaddr, _, length = struct.unpack_from("<IIQQQQ", data, start + i * size)
        if kind == PT_LOAD and vaddr <= addr and addr + 8 <= vaddr + length:
            return off + addr - vaddr
    return None


def spoil(path, note, to):
    """Writes a copy of the case with a changed return address in the first frame record that the
    walk used; returns None if the walk used no frame record."""
    data = bytearray(subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout)
    pcs = [int(f["pc"], 16) for f in note["walk"]["frames"]]
    at = place_of(data, int(note["registers"]["fp"], 16) + 8)
    if at is None or struct.unpack_from("<Q", data, at)[0] not in pcs[1:]:
        return None
    data[at] ^= 1
    with open(to, "wb") as file:
        file.write(data)
    return to


def notes_of(sim, cases, check):
    """Returns {case: its note}; the .json file beside each case must equal the note in it."""
    notes = {}
    for case in cases:
        shown = subprocess.run([sim, "show", case], capture_output=True, text=True, check=True)
        with open(case.removesuffix(".core.zst") + ".json", encoding="utf-8") as file:
            check.that(file.read() == shown.stdout,
                       f"{case}: the .json file beside the case equals the note in the case")
        notes[case] = json.loads(shown.stdout)
    return notes


def main():
    sim, recorded, engine = sys.argv[1:]
    check = Checks()
    cases = sorted(glob.glob(f"{recorded}/**/*.core.zst", recursive=True))
    notes = notes_of(sim, cases, check)
    sizes = [os.path.getsize(case) for case in cases]
    check.that(cases and max(sizes) < MAX_CASE and sum(sizes) < MAX_ALL, f"the cases are within the size limits: {sizes}")
    with tempfile.TemporaryDirectory() as tmp:
        for case, line in (found := run(sim, engine, cases, tmp)).items():
            check.that(line.get("equal") is True, f"{case}: {line.get('wrong')}")
        check.that(sorted(found) == cases,
                   f"the simulator ran all cases: {len(found)} of {len(cases)}")
        spoilt = [to for i, (case, note) in enumerate(notes.items())
                  if (to := spoil(case, note, f"{tmp}/{i}.core"))]
        check.that(len(spoilt) > len(cases) * 0.8,
                   "more than 80 % of the cases have a return address that the test can change: "
                   f"{len(spoilt)} cases")
        found = run(sim, engine, spoilt, tmp)
        for case in spoilt:
            check.that(found.get(case, {}).get("equal") is False,
                       f"{case}: the simulator detects the changed return address")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
