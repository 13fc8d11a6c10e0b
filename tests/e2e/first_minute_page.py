#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Generates docs/measurements/first-minute.md from docs/results/first-minute.json.

  first_minute_page.py              writes it
  first_minute_page.py --check      exits with 1 if the page does not match the results
  first_minute_page.py --self-test  proves that the page shows each change of a result
"""

import json
import os
import pathlib
import sys

from document import table_of
from lib import TOP
from results import runs

PAGE = os.path.join(TOP, "docs/measurements/first-minute.md")
RESULTS = os.path.join(TOP, "docs/results/first-minute.json")
HEAD = """# Measured: the first minute

`ci/qualify first-minute` generates this page from `docs/results/first-minute.json`.
{run}

## First answers about programs that people run

`tests/e2e/first_minute.py` records each program for 3 s at 499 Hz. Which function uses the CPU is
known from the program's source (`fixtures/targets`). Servers get requests. The row of `unspool ps`,
the share of complete stacks and the first function of the report are compared with the truth. *no
names* means that the runtime's functions cannot have names; then `ps` and the report must print
the reason. Up to ten of the first samples do not count if their unwind rows were not loaded yet. No
share of complete stacks is required of the JITs of bun, deno, Java and LuaJIT, whose code has no
unwind information. A bold figure is wrong or too low.

{right} of {n} programs have right answers in all three.

"""
TOOLS = """
## The first answer of other profilers

`tests/e2e/first_answer.py` asks each tool which function uses the CPU, and samples for 5 s. A step
is a command or a restart of the program. The seconds count from the first command to the answer.
*none* means that there is no profile: Node.js writes the file of `--cpu-prof` only if the program
ends by itself, and Ctrl-C kills a server. The files of `--cpu-prof` and 0x are judged as they are
written; a viewer may apply source maps later. perf shows compiled code, so a function that V8 has
inlined counts for its caller.

"""
OVERHEAD = """
## The cost for the program

The CPU time of a program with a fixed amount of work (`fixtures/targets/node/fixed.js`, {cpu} s),
relative to the median without a tool (`ci/qualify first-minute -- answers`). In each
of {runs} rounds, every tool ran once, at the sampling rate that it has by default (perf: 99 Hz).

"""


def code(text):
    return "`" + text.replace("|", "\\|").replace("`", "'") + "`" if text else ""


def ps_cell(figure):
    words = f"{figure['runtime']}, {figure['frames']}"
    return words if figure["ps"] == "right" else f"**{words}**"


def first_cell(figure):
    has_name = figure["share"] and not figure["first"].startswith("[")
    first = f"{code(figure['first'])} {figure['place']}".strip() if has_name else "no names"
    return first if figure["report"] == "right" else f"**{first}**"


def complete_cell(figure):
    return f"{figure['complete']:g}" if figure["stacks"] == "right" else f"**{figure['complete']:g}**"


def target_row(figure):
    if "missing" in figure:
        return [figure["target"], "not measured", "", "", ""]
    return [figure["target"], ps_cell(figure), complete_cell(figure), first_cell(figure), f"{figure['share']:g} %"]


def is_right(figure):
    return all(figure.get(key) == "right" for key in ("ps", "stacks", "report"))


def answer_row(figure):
    first = f"{code(figure['first'])} {figure['place']}".strip() or "none"
    return [figure["program"], figure["tool"], str(figure["steps"]), "yes" if figure["restart"] else "no",
            f"{figure['seconds']:g}", first, "right" if figure["right"] else "**wrong**"]


def overhead_row(figure):
    median, least, greatest = figure["overhead"]
    return [figure["tool"], f"{median:+g} %", f"{least:+g} % to {greatest:+g} %"]


def when(result):
    if "date" not in result:
        return "It was not measured."
    loads = " to ".join(f"{load:g}" for load in result["load"])
    return f"The last run was on {result['date'][:10]}, with {result['cpus']} CPUs and a load of {loads}."


def text_of(result):
    figures = result["figures"]
    targets = [f for f in figures if "target" in f]
    answers = [f for f in figures if "right" in f]
    overheads = [f for f in figures if "overhead" in f]
    text = HEAD.format(run=when(result), right=sum(map(is_right, targets)), n=len(targets))
    text += table_of(["program", "`unspool ps`", "complete, %", "first function", "share"], map(target_row, targets))
    text += TOOLS + table_of(["program", "tool", "steps", "restart", "seconds", "first function", ""],
                             map(answer_row, answers))
    if overheads:
        text += OVERHEAD.format(cpu=overheads[0]["cpu_seconds"], runs=overheads[0]["runs"])
        text += table_of(["tool", "median", "range"], map(overhead_row, overheads))
    return text


def self_test():
    target = {"target": "C", "ps": "right", "runtime": "native", "frames": "by symbols", "why_not": None,
              "samples": 99, "complete": 100, "stacks": "right", "first": "f", "place": "a.c:1", "share": 99,
              "report": "right"}
    answer = {"program": "p", "tool": "t", "steps": 1, "restart": False, "seconds": 5.5, "first": "g", "place": "b:2",
              "right": True}
    overhead = {"tool": "t", "overhead": [1, 0, 2], "runs": 5, "cpu_seconds": 2}
    changes = [(target, key, value) for key, value in {
        "target": "D", "ps": "wrong", "runtime": "Go", "frames": "x", "complete": 98, "stacks": "wrong",
        "first": "h", "place": "c", "share": 98, "report": "wrong"}.items()]
    changes += [(answer, key, value) for key, value in {
        "program": "q", "tool": "u", "steps": 2, "restart": True, "seconds": 6, "first": "h", "place": "c",
        "right": False}.items()]
    changes += [(overhead, "tool", "u"), (overhead, "overhead", [1, 0, 3]), (overhead, "runs", 6),
                (overhead, "cpu_seconds", 3)]
    figures = [target, answer, overhead]
    good = text_of({"figures": figures})
    missed = [key for of, key, value in changes
              if text_of({"figures": [{**f, key: value} if f is of else f for f in figures]}) == good]
    print(*(f"the page does not change with {json.dumps(key)}" for key in missed),
          f"{len(changes) - len(missed)} passed, {len(missed)} failed", sep="\n")
    return bool(missed)


def main():
    if "--self-test" in sys.argv:
        return self_test()
    text = text_of(runs.read(pathlib.Path(RESULTS)))
    if "--check" not in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        is_same = file.read() == text
    print("1 passed, 0 failed" if is_same else "does not match the results; run tests/e2e/first_minute_page.py")
    return not is_same


if __name__ == "__main__":
    sys.exit(main())
