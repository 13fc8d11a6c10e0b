#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""odd_v8.py: records Node.js with V8s whose heap layout does not match their version.

The test changes the version or the layout constants in copies of Node.js. Names must be right or
missing, never wrong, and the recorder must print the reason in one line.

  unknown      reports a version without a table; the nearest table fits, but positions in Maglev
             code may be of other functions
  wrong table  reports another version, whose table does not fit
  compressed   reports compressed pointers
"""

import os
import re
import struct
import subprocess
import sys

from lib import TOP, Checks, Profile, folder, need_bpf, node, running, unspool, version_of
from nesting import Judge

KNOWN = os.path.join(TOP, "fixtures/node/known")
VERSION = "_ZN2v88internal7Version6{}_E"
ENOUGH = 100  # samples
DURATIONS = 1, 3, 9  # seconds
MISREAD = "not laid out as expected"


def places(path, wanted):
    """Returns {symbol: offset in the file} of the wanted dynamic symbols."""
    run = lambda *argv: subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    loads = [[int(word, 16) for word in line.split()[1:5]]
             for line in run("readelf", "-lW", path).splitlines() if line.split()[:1] == ["LOAD"]]
    found = {}
    for line in run("nm", "-D", path).splitlines():
        words = line.split()
        if len(words) == 3 and words[2] in wanted:
            addr = int(words[0], 16)
            found[words[2]] = next(off + addr - start for off, start, _, size in loads
                                   if start <= addr < start + size)
    return found


def doctor(source, target, values):
    """Writes a copy of `source` in which the ints at the symbols in `values` are replaced."""
    with open(source, "rb") as file:
        image = bytearray(file.read())
    at = places(source, values)
    before = [image[off] for symbol, off in sorted(at.items()) if "Version" in symbol]
    for name, value in values.items():
        image[at[name]:at[name] + 4] = struct.pack("<i", value)
    if before:  # at its start V8 compares this version with the one in the snapshot
        old = re.search(rb"\0(%d\.%d\.[0-9]+\.)" % tuple(before), image).group(1)
        new = b"%d.%d." % tuple(values[VERSION.format(part)] for part in ("major", "minor"))
        new += old.split(b".", 2)[2]
        assert len(new) == len(old)
        image = image.replace(old, new)
    with open(target, "wb") as file:
        file.write(image)
    os.chmod(target, 0o755)


def run(binary, tmp, *flags):
    """Records run.js with two programs; returns the profile and the recorder's messages. On a
    loaded machine, the program gets little CPU time in a second, so the recording is repeated with
    a longer duration until the profile has enough samples."""
    argv = [binary, *flags, os.path.join(KNOWN, "run.js"), "20000", "calls", "mutual"]
    out = os.path.join(tmp, "p.ndjson")
    with running(argv, b"running") as child:
        for seconds in DURATIONS:
            done = unspool("record", "-F", 997, "-o", out, "-p", child.pid, "-d", seconds)
            if os.path.exists(out) and Profile(out).count() > ENOUGH:
                break
    return Profile(out), done.stderr


def judge(profile):
    """Counts samples: with JavaScript frames, with functions that have names, with all names right,
    with all lines right, with a wrong name or line, and with the builtin JSEntry."""
    known = Judge(KNOWN)
    lines = {(s.name, line) for path in known.paths for s in path
             for line in range(s.first, s.last + 1)}
    n = exact = lined = wrong = named = entered = 0
    for count, _, frames, _ in profile.samples():
        own = [known.locate(f) for f in reversed(frames)]
        own = [frame for frame in own if frame]
        js = [f for f in frames if f["kind"] == "js"]
        n += count * bool(js)
        named += count * any(f.get("name") for f in js)
        entered += count * any(f["kind"] == "stub" and f.get("name") == "JSEntry" for f in frames)
        exact += count * bool(own and known.names_exact(own))
        lined += count * bool(own and known.lines_exact(own))
        wrong += count * any(line and (name, line) not in lines for name, _, line in own)
    return n, named, exact, lined, wrong, entered


def main():
    need_bpf()
    check = Checks()
    unknown = {VERSION.format("major"): 14, VERSION.format("minor"): 9}
    cases = [
        ("unknown", "26", unknown, r"V8 14\.9 is not known, and treated as 14\.6, which fits"),
        ("wrong table", "22", {VERSION.format("major"): 14, VERSION.format("minor"): 6}, MISREAD),
        ("compressed", "24", {"v8dbg_TaggedSize": 4}, "pointer compression is not supported"),
    ]
    with folder() as tmp:
        for what, major, values, says in cases:
            binary = os.path.join(tmp, "program")
            doctor(node(version_of(major)), binary, values)
            profile, err = run(binary, tmp)
            n, named, exact, lined, wrong, entered = judge(profile)
            print(f"{what}: of {n} samples {named} have functions with names, {exact} have all "
                  "names "
                  f"right, {lined} also have all lines right, and {wrong} have a wrong name or "
                  "line")
            check.that(re.search(says, err), f"{what}: the recorder prints {says!r}")
            check.that(n > ENOUGH, f"{what}: the profile has more than {ENOUGH} samples",
                       quiet=True)
            check.that(not wrong, f"{what}: no sample has a wrong name or line", quiet=True)
            check.that(entered >= 0.9 * n,
                       f"{what}: at least 90 % of the samples have a frame of the builtin JSEntry")
            if what == "unknown":
                check.that(exact >= 0.9 * n, f"{what}: at least 90 % of the samples have all "
                                             "names right")
                n, _, _, lined, wrong, _ = judge(run(binary, tmp, "--no-maglev")[0])
                print(f"{what}: without Maglev, {lined} of {n} samples have all names and lines "
                      "right")
                check.that(n > ENOUGH and lined >= 0.9 * n and not wrong,
                           f"{what}: without Maglev, at least 90 % of the samples have all lines "
                           "right")
            else:
                check.that(not lined, f"{what}: no sample has both all names and all lines right")
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
