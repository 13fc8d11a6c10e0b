#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""action.py [MAJOR]: runs deploy/action in a runner-like environment (runner.py), without a network.

With MAJOR, `unspool` records Node.js MAJOR. Without it, a script stands in for `unspool record`: it
runs the command and writes a profile that is known, so that the test needs no BPF.
"""

import os
import sys

import steady
from lib import TOP, UNSPOOL, Checks, folder, need_bpf, node, unspool, version_of
from runner import REPOSITORY, TOKEN, Api, Run, read_yaml, serving

ACTION = os.path.join(TOP, "deploy/action")
MARKER = "<!-- unspool: unspool_profile -->"
# Writes $PROFILE instead of a recording; anything but record is the real program.
STAND_IN = """#!/bin/bash
[ "$1" = record ] || exec {unspool} "$@"
while [ "$1" != -- ]; do [ "$1" != -o ] || cp "$PROFILE" "$2"; shift; done
shift
exec "$@"
"""


def profile(place, hot):
    """Returns the bytes of a profile in which a function has @hot of 100 samples per second."""
    path = os.path.join(place, "made.ndjson")
    steady.write(path, {"hot": hot, "cold": 100 - hot}, file="/srv/@scope/app.js")
    assert unspool("convert", path, path + ".zst", "-f", "ndjson.zst").returncode == 0
    with open(path + ".zst", "rb") as file:
        return file.read()


class Case:
    """A pull request: the profile of the base branch, that of the pull request, and the action."""

    def __init__(self, place, api, url, binary):
        self.place, self.api, self.url, self.binary = place, api, url, binary

    def run(self, profile_now, command="true", base="main", **inputs):
        path = os.path.join(self.place, "now.zst")
        with open(path, "wb") as file:
            file.write(profile_now)
        return Run(ACTION, self.place, self.url, {"command": command, "unspool": self.binary, **inputs},
                   {"PROFILE": path, **({"GITHUB_BASE_REF": base} if base else {})})


def without_base(case, check):
    now = profile(case.place, 60)
    run = case.run(now, base="")
    check.equal((run.status, case.api.comments, run.summary), (0, [], ""), "a push has nothing to compare")
    check.equal(run.uploaded, [("unspool-profile", now)], "the profile of a push is an artifact")
    case.api.add_artifact(now, branch="other")
    case.api.add_artifact(now, expired=True)
    case.api.add_artifact(now, fork=True)
    case.api.add_artifact(now, name="another")
    run = case.run(now)
    check.equal((run.status, case.api.comments), (0, []), "artifacts of other branches, forks and names do not count")
    check.that("There is no profile of main yet" in run.output, "a missing profile is a warning")
    run = case.run(now, command="exit 5")
    check.equal((run.status, len(run.uploaded)), (5, 0), "a command that fails ends the action with its status")
    case.api.may_list = False
    run = case.run(now)
    check.that(run.status == 1 and "actions: read" in run.output, "artifacts that can't be listed are an error")
    case.api.may_list = True


def compared(case, check):
    case.api.add_artifact(profile(case.place, 40))
    case.api.add_artifact(profile(case.place, 60))
    for i in range(150):
        case.api.add_artifact(b"", branch=f"pull-{i}")
    run = case.run(profile(case.place, 60))
    check.equal(run.status, 0, "a pull request without a change passes")
    check.that(len(case.api.comments) == 1 and case.api.comments[0]["body"].startswith(
        f"{MARKER}\n**CPU time, before -> after**: no difference: "), "the comment reports no difference")
    case.api.comments[:0] = [{"id": 1, "body": "a person's comment"}] * 120
    for number, one in enumerate(case.api.comments, 1):
        case.api.comments[number - 1] = {**one, "id": number}
    run = case.run(profile(case.place, 75))
    check.equal((run.status, len(case.api.comments)), (0, 121), "a later run updates the comment")
    text = case.api.comments[-1]["body"]
    check.that("2 of 2 functions changed" in text and "| 60.0 -> 75.0 | **+15.0 ±" in text and "| hot |" in text,
               "the newest profile of the base branch is compared")
    check.that("@scope" not in text and "@<!-- -->scope" in text, "paths in the comment notify no people")
    check.equal(run.summary, text.removeprefix(MARKER + "\n"), "the summary has the same text")


def failing(case, check):
    run = case.run(profile(case.place, 75), **{"fail-on": "+3%"})
    check.that(run.status == 1 and "self of hot rose beyond noise" in run.output and "75.0" in
               case.api.comments[-1]["body"], "a rise fails the pull request, after the comment")
    run = case.run(profile(case.place, 75), **{"fail-on": "+20%"})
    check.equal(run.status, 0, "a rise below the threshold passes")
    case.api.may_write = False
    run = case.run(profile(case.place, 60))
    check.that(run.status == 0 and "cannot write a comment" in run.output and "no difference" in run.summary,
               "a pull request from a fork has only the summary")
    case.api.add_artifact(b"no profile\n")
    run = case.run(profile(case.place, 60))
    check.that(run.status == 1 and "base.ndjson.zst:1: not an Unspool profile" in run.output and not run.summary,
               "a broken profile is an error")


def secrets(case, check):
    sent = {path.startswith("/storage/"): token for _, path, token in case.api.requests}
    check.equal(sent, {False: f"Bearer {TOKEN}", True: None}, "the token is sent to the API only")
    check.that(all(path.startswith((f"/repos/{REPOSITORY}/", "/storage/")) for _, path, _ in case.api.requests),
               "requests concern this repository")


def recorded(case, check, binary):
    """Compares two recordings of a Node.js."""
    command = f"{binary} {TOP}/fixtures/node/shares.js 2"
    run = case.run(b"", command=f"{command} 10", base="", hz="499")
    check.equal(run.status, 0, "a command is recorded")
    case.api.add_artifact(run.uploaded[0][1])
    run = case.run(b"", command=f"{command} 90", hz="499", only="js", **{"fail-on": "+3%"})
    check.equal(run.status, 1, "a function that uses half of the time instead of a tenth is a failure")
    check.that("first" in case.api.comments[-1]["body"], "the comment names this function")


def example(check):
    """The inputs of the example exist."""
    with open(os.path.join(ACTION, "action.yml"), encoding="utf-8") as file:
        inputs = read_yaml(file.read())["inputs"]
    with open(os.path.join(ACTION, "example.yml"), encoding="utf-8") as file:
        steps = read_yaml(file.read())["jobs"]["profile"]["steps"]
    check.that(set(steps[-1]["with"]) <= set(inputs), "the example uses inputs of the action")


def main(major=None):
    if major:
        need_bpf()
    check, api = Checks(), Api()
    with folder() as place, serving(api) as url:
        if major:
            recorded(Case(place, api, url, UNSPOOL), check, node(version_of(major)))
            return check.end()
        stand_in = os.path.join(place, "unspool")
        with open(stand_in, "w", encoding="utf-8") as file:
            file.write(STAND_IN.format(unspool=UNSPOOL))
        os.chmod(stand_in, 0o755)
        case = Case(place, api, url, stand_in)
        for part in without_base, compared, failing, secrets:
            part(case, check)
        example(check)
    return check.end()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
