#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sweeps.py: checks that the table in SECURITY.md names a sweep for each reader of hostile bytes.

Each fuzz target must be in the table, each row must name a test, and each named test must have a
sweep: a test function whose name mentions truncated input or a failing read. With --self-test the
same check is tested with wrong tables, which it must refuse.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
SWEEP = re.compile(r"^static void \w*(cut|truncate|read_can_fail|read_may_fail|failing_read|if_a_read_fails|"
                   r"read_that_fails|ends_early)\w*\(void \*\*", re.M)


def targets():
    """Returns the names in fuzz_targets of tests/fuzz/meson.build."""
    text = (TOP / "tests/fuzz/meson.build").read_text()
    table = re.search(r"(?ms)^fuzz_targets = \{$(.*?)^\}", text)[1]
    return set(re.findall(r"^  '([\w-]+)':", table, re.M))


def rows(text):
    """Returns [fuzz targets, tests] of each row of the table."""
    table = text.split("| input | fuzz targets |")[1].split("\n\n")[0]
    return [[re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[2:4]]
            for line in table.splitlines()[2:]]


def problems(text):
    """Returns a sentence for each fault of the table."""
    table = rows(text)
    named = {target for row in table for target in row[0]}
    found = [f"SECURITY.md: the table lacks the fuzz target {target}"
             for target in sorted(targets() - named)]
    found += [f"SECURITY.md: the fuzz target {target} does not exist"
              for target in sorted(named - targets())]
    found += [f"SECURITY.md: the row of {' '.join(row[0])} has no test"
              for row in table if not row[1]]
    for test in sorted({test for row in table for test in row[1]}):
        file = TOP / "tests" / test
        if not file.is_file() or not SWEEP.search(file.read_text()):
            found.append(f"tests/{test} has no test function that is a sweep")
    return found


def self_test(text):
    """Tests tables with a missing target, an unknown target, a row without a test, a test without a
    sweep, and a missing test."""
    wrong = [text.replace("`nibble`", ""), text.replace("`nibble`", "`nibbles`"),
             re.sub(r"(\| `unwind` \|).*", r"\1 |", text),
             text.replace("`inspect/test_pdb.c`", "`inspect/test_process.c`"),
             text.replace("`inspect/test_pdb.c`", "`inspect/test_pdbs.c`")]
    return [f"no problem is found in the wrong table {i}"
            for i, table in enumerate(wrong) if not problems(table)]


def main():
    text = (TOP / "SECURITY.md").read_text()
    found = self_test(text) if "--self-test" in sys.argv[1:] else problems(text)
    print("\n".join(found + [f"{len(found)} problems"]))
    return bool(found)


raise SystemExit(main())
