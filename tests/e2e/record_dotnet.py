#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""record_dotnet.py STAGE FIXTURES: records the .NET part of the corpus (corpus_dotnet.py).

STAGE has dotnet/VERSION/nesting, a program of fixtures/dotnet, for each version; the cases contain
these paths. The cases of a version replace those in FIXTURES only if all of them were accepted.
"""

import os
import sys
import time

import corpus
from corpus_dotnet import DOTNET, MODES, DotnetJudge
from lib import Checks, running
from record_live import record

WARM_S = 2  # until the runtime has recompiled the methods, including on-stack replacement


def record_class(check, version, name, stage):
    binary, cases = f"{stage}/dotnet/{version}/nesting", []
    for mode in MODES:
        wants = [w for w in DOTNET[name] if w.mode == mode]
        if not wants:
            continue
        env = dict(os.environ, DOTNET_EnableDiagnostics="0", DOTNET_PerfMapEnabled="3", **MODES[mode])
        with running([binary, name], b"ready", cwd=stage, env=env) as child:
            time.sleep(WARM_S)
            cases += [record(check, child, binary, w, DotnetJudge(), stage) for w in wants]
            os.unlink(f"/tmp/perf-{child.pid}.map")
    return cases


def main():
    stage, fixtures = sys.argv[1:]
    check = Checks()
    for version in sorted(os.listdir(f"{stage}/dotnet")):
        cases = [c for name in DOTNET for c in record_class(check, version, name, stage)]
        corpus.take(check, cases, stage, fixtures)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
