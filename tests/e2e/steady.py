# SPDX-License-Identifier: BSD-2-Clause
"""Writes profiles whose functions have the same number of samples in each second."""

import json


def write(path, functions, hz=100, seconds=30, schema=1, file="/app.js"):
    """@functions: the samples per second of each function, which is called by no other."""
    with open(path, "w", encoding="utf-8") as out:
        def line(**keys):
            out.write(json.dumps(keys) + "\n")

        line(type="header", schema=schema, hz=hz)
        for i, (name, n) in enumerate(functions.items(), 1):
            times = [second * 1000000 + k for second in range(seconds) for k in range(n)]
            line(type="frame", id=i, kind="js", name=name, file=file, line=i, column=1, start_line=i, start_column=1)
            line(type="stack", id=i, frames=[i], status="complete")
            line(type="samples", pid=1, tid=1, stack=i, count=len(times),
                 t=times[:1] + [after - before for before, after in zip(times, times[1:])])
