#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""record_live.py STAGE FIXTURES: records the x86-64 part of the corpus from live processes.

STAGE has node/VERSION/bin/node, known/ (fixtures/node/known), busy and lost; the cases contain
these paths. The cases of a folder replace those in FIXTURES only if all of them were accepted.
"""

import os
import sys
import time

import corpus
from lib import running, unspool

TRIES = 25


def place(pid, binary, want, prefix):
    """Returns the argument for `capture --at`."""
    if len(want.at) == 3:
        return hex(corpus.compiled(pid, *want.at))
    symbol = prefix + want.at[0]
    return f"{symbol}+{corpus.instruction(binary, symbol, want.at[1])[1]}"


def arguments(pid, binary, want, prefix):
    args = [] if want.whole else ["--minimal"]
    if want.at:
        args += ["--at", place(pid, binary, want, prefix)]
    if want.match:
        args += ["--match", want.match]
    # When code is executed for the first time, its rows are not loaded yet, so only a later stack
    # is complete.
    return args + ["--on", "end" if want.status == "complete" else want.reason]


def record(check, child, binary, want, judge, stage, prefix=""):
    """Captures cases until the judge accepts one; returns its path, or None."""
    out, why = os.path.join(stage, want.name + ".core.zst"), "no instruction to stop at"
    for _ in range(TRIES):
        try:
            args = arguments(child.pid, binary, want, prefix)
        except LookupError as error:
            why = str(error)
            time.sleep(1)
            continue
        done = unspool("capture", "-p", child.pid, "-o", out, "-F", 499, "-d", 10, *args)
        why = done.stderr.strip() if done.returncode else corpus.why_not(judge, want, out)
        if not why:
            break
    check.that(not why, f"{os.path.relpath(binary, stage)}: {want.name}: "
                        f"{why or str(os.path.getsize(out)) + ' bytes'}")
    return None if why else out


def record_node(check, version, stage, fixtures):
    binary, known = f"{stage}/node/{version}/bin/node", f"{stage}/known"
    judge, wanted, cases = corpus.NodeJudge(known), corpus.for_version("x86_64", version), []
    for mode, (_, work) in corpus.RUN_MODES.items():
        argv = [binary, "--perf-basic-prof", *corpus.flags_of(mode, version), f"{known}/run.js",
                str(work)]
        with running(argv, b"running", cwd=stage) as child:
            time.sleep(1)
            cases += [record(check, child, binary, w, judge, stage, "Builtins_")
                      for w in wanted if w.mode == mode]
            os.unlink(f"/tmp/perf-{child.pid}.map")
    corpus.take(check, cases, stage, fixtures)


def record_native(check, stage, fixtures):
    cases = []
    with running([f"{stage}/busy"], b"running") as child:
        judge = corpus.NestingJudge("busy_inner", "busy_outer", "main")
        cases += [record(check, child, f"{stage}/busy", w, judge, stage)
                  for w in corpus.BUSY["x86_64"]]
    judge = corpus.NestingJudge("spin", "lose", "main")
    for want in corpus.LOST:
        with running([f"{stage}/lost", want.mode], b"running") as child:
            cases.append(record(check, child, f"{stage}/lost", want, judge, stage))
    corpus.take(check, cases, stage, fixtures)


if __name__ == "__main__":
    sys.exit(corpus.record_all(record_native, record_node))
