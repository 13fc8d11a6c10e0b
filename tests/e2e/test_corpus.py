#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""test_corpus.py: checks by the programs' sources that each recorded case shows the state that its
name states, and that the judge refuses altered cases."""

import copy
import glob
import json
import os
import sys

import corpus
import corpus_dotnet
from lib import TOP, Checks

RECORDED = os.path.join(TOP, "fixtures/recorded")
KNOWN = os.path.join(TOP, "fixtures/node/known")


def wanted(arch, runtime, version, name):
    if runtime == "dotnet":
        return corpus_dotnet.wanted(name)
    wants = corpus.for_version(arch, version) if runtime == "node" else \
        [*corpus.BUSY[arch], *corpus.LOST]
    return next((w for w in wants if w.name == name), None)


def judge_of(runtime, name):
    if runtime == "node":
        return corpus.NodeJudge(KNOWN)
    if runtime == "dotnet":
        return corpus_dotnet.DotnetJudge()
    if name.startswith("record-"):
        return corpus.NestingJudge("spin", "lose", "main")
    return corpus.NestingJudge("busy_inner", "busy_outer", "main")


def read(path):
    """Reads the note of a case; replaces the recorded paths of the programs by their paths in this
    tree."""
    with open(path, encoding="utf-8") as file:
        return json.loads(file.read().replace('"/srv/known/', f'"{KNOWN}/'))


def is_known(frame):
    return frame.get("file", "").startswith(KNOWN) or corpus_dotnet.is_known(frame) or frame.get("name") in \
        ("busy_inner", "busy_outer", "spin", "lose", "main")


def spoilt(note):
    """(description, altered note)"""
    frames = note["expected"]["frames"]
    known = [i for i, frame in enumerate(frames) if is_known(frame) and "name" in frame]
    for words, index in (("the innermost function has another name", 0),
                         ("the outermost function has another name", -1)):
        other = copy.deepcopy(note)
        other["expected"]["frames"][known[index]]["name"] = "somebody"
        yield words, other
    if len(known) > 1:
        other = copy.deepcopy(note)
        for index, frame in zip(known, [frames[i] for i in reversed(known)]):
            other["expected"]["frames"][index] = frame
        yield "the functions are in another order", other
    other = copy.deepcopy(note)
    other["expected"].update(status="failed", reason="fault")
    yield "the walk has another status", other


def check_case(check, path):
    runtime, version, arch, name = path.removesuffix(".json").split("/")[-4:]
    want, judge, note = wanted(arch, runtime, version, name), judge_of(runtime, name), read(path)
    case = path.removesuffix(".json") + ".core.zst"
    if not check.that(want, f"{path}: corpus.py or corpus_dotnet.py contains a case of this name",
                      quiet=True):
        return
    why = judge.why_not(want, note) or corpus.why_not_caller(want, note, case)
    check.that(not why, f"{path}: the case contains the state for which the case is named: {why}",
               quiet=True)
    if want.status != "complete":
        return
    for words, other in spoilt(note):
        check.that(judge.why_not(want, other), f"{path}: the judge refuses the case if {words}",
                   quiet=True)
    if want.ra:
        other = copy.deepcopy(note)
        del other["walk"]["frames"][1]
        check.that(corpus.why_not_caller(want, other, case),
                   f"{path}: the judge refuses the case if the walk lacks the caller of the "
                   "leaf", quiet=True)


def main():
    check = Checks()
    paths = sorted(glob.glob(f"{RECORDED}/*/*/*/*.json"))
    check.that(len(paths) > 100, f"the corpus has more than 100 cases: {len(paths)}")
    for path in paths:
        check_case(check, path)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
