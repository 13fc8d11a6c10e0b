#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""capture.py MAJOR [COUNT]: captures COUNT stacks of a live Node.js process as cases, and replays
the cases."""

import glob
import json
import os
import re
import subprocess
import sys

import results
from lib import BUSY, TOP, Checks, folder, need_bpf, node, running, skip, unspool, version_of

SIM = os.environ.get("UNSPOOL_SIM", "unspool-sim")
SECRETS = os.path.join(TOP, "fixtures/node/secrets.js")
PRIVATE = ["sourceSecret-4f1c", "heapSecret-77aa", "argument-9b2e", "environment-c3d4"]
WIDE = "h\u0113apSecret-77aa".encode("utf-16-le")
CASES = int(sys.argv[2]) if len(sys.argv) > 2 else 40


def capture(pid, out, *args, seconds=100):
    return unspool("capture", "-p", pid, "-o", out, "-F", 499, "-d", seconds, *args, timeout=150)


def content(path):
    return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout


def eights(secret):
    """Yields each 8-byte part of the secret that contains a "-": as bytes, and as the number that
    the note would print for a stack slot with these bytes."""
    for i in range(len(secret) - 7):
        word = secret[i:i + 8]
        if b"-" in word:
            yield from (word, f'"{int.from_bytes(word, "little"):#x}"'.encode())


def leaks(path):
    """Returns the secrets of which the case contains eight consecutive bytes. A secret is encoded
    with one or with two bytes per character."""
    data = content(path)
    secrets = [*(s.encode() for s in PRIVATE), PRIVATE[1].lower().encode(),
               *(s.encode("utf-16-le") for s in PRIVATE), WIDE]
    return [s for s in secrets if any(word in data for word in eights(s))]


def replay(check, cases, engine, tmp):
    """Checks that each case unwinds in the simulator as it did in the kernel."""
    out = os.path.join(tmp, engine + ".json")
    done = subprocess.run([SIM, "run", "--engine", engine, "--json", out, *cases],
                          capture_output=True, text=True, timeout=120, check=False)
    with open(out, encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    equal = sum(r["equal"] for r in runs if r["engine"] == engine)
    results.add(version=version_of(sys.argv[1]), engine=engine, cases=len(cases), equal=equal)
    check.equal((done.returncode, equal), (0, len(cases)),
                f"{engine}: {equal} of {len(cases)} cases unwind in the simulator as in the kernel")
    return runs


def secrets_stay_out(check, tmp, binary):
    env = {**os.environ, "PRIVATE": PRIVATE[3]}
    with running([binary, SECRETS, "600", PRIVATE[2]], b"running", env=env) as child:
        done = capture(child.pid, f"{tmp}/case.core.zst", "-n", CASES)
        check.equal(done.returncode, 0,
                    f"{CASES} stacks are written as cases: {done.stderr.strip()}")
        done = capture(child.pid, f"{tmp}/minimal.core.zst", "--minimal", "-n", 3)
        check.equal(done.returncode, 0, "`capture --minimal` exits with 0")
        done = capture(child.pid, f"{tmp}/case-async.core.zst", "--async", "-n", CASES // 2)
        check.equal(done.returncode, 0, f"`capture --async` exits with 0: {done.stderr.strip()}")
        done = capture(child.pid, f"{tmp}/raw.core.zst", "--raw", "-n", CASES)
        check.equal(done.returncode, 0, "`capture --raw` exits with 0")
        done = capture(child.pid, f"{tmp}/named.core.zst", "--match", "^outerOfSecrets$")
        check.equal(done.returncode, 0, "`capture --match` exits with 0 if a function matches")
    cases = sorted(glob.glob(f"{tmp}/case*.core.zst") + glob.glob(f"{tmp}/minimal*.core.zst"))
    for path in cases:
        check.equal(leaks(path), [], f"no secret is in {os.path.basename(path)}", quiet=True)
    raw = {s for path in glob.glob(f"{tmp}/raw*.core.zst") for s in leaks(path)}
    check.that(len(raw) >= 3, f"cases of --raw contain at least 3 of the secrets: {sorted(raw)}")
    sizes = [os.path.getsize(path) for path in cases]
    check.that(max(sizes) < 100_000,
               f"each case is smaller than 100 kB: {min(sizes)} to {max(sizes)}")
    runs = replay(check, cases, "native", tmp)
    replay(check, cases + sorted(glob.glob(f"{tmp}/raw*.core.zst")), "guest", tmp)
    waiting = sum(any(f.get("async") for f in shown(path)["expected"]["frames"])
                  for path in glob.glob(f"{tmp}/case-async*"))
    check.that(waiting > CASES / 4,
               f"most cases of --async have an awaiter: {waiting} of {CASES // 2}")
    deep = sum(len(r["frames"]) > 8 for r in runs)
    check.that(deep > len(cases) / 2,
               f"most cases have a stack of more than 8 frames: {deep} of {len(cases)}")
    names = [f.get("name") for f in shown(f"{tmp}/named.core.zst")["expected"]["frames"]]
    check.that("outerOfSecrets" in names,
               f"the case of --match contains the function that matches: {names[:6]}")


def shown(path):
    done = subprocess.run([SIM, "show", path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def address_of(child, symbol):
    """Returns the address of a function of `busy` in a process, from nm and the process's
    mappings."""
    symbols = subprocess.run(["nm", BUSY], capture_output=True, text=True, check=True).stdout
    off = next(int(line.split()[0], 16) for line in symbols.splitlines()
               if line.endswith(" " + symbol))
    with open(f"/proc/{child.pid}/maps", encoding="utf-8") as maps:
        base = int(next(line for line in maps if BUSY in line).split("-")[0], 16)
    return base + off if off < base else off


def at_an_instruction(check, tmp):
    with running([BUSY], b"running") as child:
        at = address_of(child, "busy_inner")
        for name, where in [("addr", hex(at)), ("symbol", "busy_inner"), ("off", "busy_inner+0")]:
            done = capture(child.pid, f"{tmp}/{name}.core", "--at", where, "-n", 3)
            check.equal(done.returncode, 0,
                        f"`capture --at {where}` exits with 0: {done.stderr.strip()}")
        done = capture(child.pid, f"{tmp}/none.core", "--at", "busy_nobody")
        check.that(done.returncode == 2 and "busy_nobody" in done.stderr,
                   f"--at refuses a function that does not exist: {done.stderr.strip()}")
    cases = sorted(glob.glob(f"{tmp}/*.core"))
    check.equal(len(cases), 9, "each of three `capture` commands writes three cases")
    for path in cases:
        frames = shown(path)["expected"]["frames"]
        check.equal(frames[0]["pc"], hex(at),
                    f"frame 0 of {os.path.basename(path)} is at the chosen address",
                    quiet=True)
        check.equal(frames[1].get("name"), "busy_outer",
                    "frame 1 of the case is in the function busy_outer", quiet=True)
    other_tools_open_it(check, cases[0])


def other_tools_open_it(check, path):
    note, said = shown(path), {}
    fp = int(note["registers"]["fp"], 16)
    for argv in (["readelf", "-nW", path], ["eu-readelf", "-n", path],
                 ["gdb", "-q", "-nx", "-batch", "-c", path, "-ex", "info registers",
                  "-ex", f"x/gx {fp + 8:#x}"]):
        done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
        said[argv[0]] = done.stdout
        check.equal((done.returncode, done.stderr.count("rror")), (0, 0),
                    f"{argv[0]} opens the case: {done.stderr[:200]}")
    for tool in ("readelf", "eu-readelf"):
        check.that(all(word in said[tool] for word in ("Unspool", "PRSTATUS", "AUXV", "FILE")),
                   f"{tool} prints the notes of the case")
    callers = [frame["pc"] for frame in note["walk"]["frames"][1:]]
    word = re.search(rf"^{fp + 8:#x}:\s+(0x\w+)", said["gdb"], re.MULTILINE)
    check.that(re.search(rf"^(rip|pc) +{note['registers']['pc']}\b", said["gdb"],
                         re.MULTILINE), "gdb prints the pc of the case")
    check.that(word and f"{int(word.group(1), 16):#x}" in callers,
               "gdb reads a caller's return address from the stack of the case")


def what_never_comes(check, tmp):
    out = f"{tmp}/never.core"
    with running([BUSY], b"running") as child:
        for args, words in [(["--on", "failed"], "samples, [1-9][0-9]* did not match --on[;,]"),
                            (["--match", "no such function"],
                             "samples, [1-9][0-9]* had no name that matches --match[;,]")]:
            done = capture(child.pid, out, *args, seconds=1)
            check.equal(done.returncode, 1,
                        f"`capture` with {args} exits with 1 because no stack matches")
            check.that(len(done.stderr.splitlines()) == 1 and re.search(words, done.stderr),
                       "`capture` prints one line with the reason why no case is written: "
                       f"{done.stderr.strip()}")
    check.that(not glob.glob(f"{tmp}/never*"), "`capture` writes no file if no stack matches")
    for args, words in [(["--on", "sunday"], "unknown reason"), (["--match", "("], "--match ("),
                        (["-n", "0"], "from 1"), (["-o", "x.ndjson"], "NAME.core"),
                        (["--at", "+4"], "--at +4"), (["--at", "0x12z"], "--at 0x12z")]:
        done = unspool("capture", "-p", os.getpid(), *args)
        check.that(done.returncode == 2 and words in done.stderr and
                   len(done.stderr.splitlines()) == 1, f"{args}: {done.stderr.strip()}")


def main():
    need_bpf()
    binary = node(version_of(sys.argv[1]))
    if not os.path.exists(SIM):
        skip("UNSPOOL_SIM does not name an existing unspool-sim")
    check = Checks()
    for part in [lambda tmp: secrets_stay_out(check, tmp, binary),
                 lambda tmp: at_an_instruction(check, tmp),
                 lambda tmp: what_never_comes(check, tmp)]:
        with folder() as tmp:
            part(tmp)
    return check.end()


if __name__ == "__main__":
    sys.exit(main())
