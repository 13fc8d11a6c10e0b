#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""formats.py UNSPOOL BIG_PROFILE: prints the CPU time, peak memory and file size of the conversion
of 1,000,000 samples to each format, and the CPU time relative to a copy of the lines. For
ci/bench."""

import os
import subprocess
import sys
import tempfile

FORMATS = "ndjson ndjson.gz ndjson.zst folded pprof speedscope firefox cpuprofile perf-script svg".split()


def convert(unspool, name, profile, out):
    """Returns CPU seconds and MiB."""
    with subprocess.Popen([unspool, "convert", "-f", name, profile, out],
                          stderr=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"convert -f {name}: exit {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    unspool, big_profile = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="unspool-bench-") as tmp:
        profile, out = os.path.join(tmp, "p.ndjson"), os.path.join(tmp, "out")
        with open(profile, "wb") as file:
            subprocess.run([big_profile, "1000000", "20000", "8"], stdout=file, check=True)
        copy = None
        for name in FORMATS:
            seconds, mib = convert(unspool, name, profile, out)
            copy = copy or seconds
            print(f"  {name:<12} {seconds:5.2f} s (aim: 2)  {mib:4.0f} MiB (aim: 300)  "
                  f"{os.path.getsize(out) / 1e6:6.1f} MB  {seconds / copy:5.1f}", flush=True)


main()
