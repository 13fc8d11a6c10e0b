#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""sim.py UNSPOOL-SIM FOLDER: tests that the simulator writes the code of cases as jitdumps, and
reads jitdumps of both architectures. The code is compared with the bytes of the ELF files at the
addresses that nm prints."""

import glob
import os
import re
import struct
import subprocess
import sys

from jd import LOAD, Checks, folder, jitdump, name_of, read, records

SIM, COMPILED = sys.argv[1:3]
MACHINES = {"x86_64": 62, "arm64": 183}
FIXTURE = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                       "../../fixtures/synthetic/native-chain.yaml")


def sim(*args):
    return subprocess.run([SIM, *args], capture_output=True, text=True, timeout=60, check=False)


def bytes_at(elf, addr, size):
    """Returns @size bytes at the address @addr of a 64-bit ELF file, by its program headers
    (elf(5))."""
    at, = struct.unpack_from("<Q", elf, 32)
    each, n = struct.unpack_from("<HH", elf, 54)
    for i in range(n):
        kind, _, off, start, _, length = struct.unpack_from("<IIQQQQ", elf, at + i * each)
        if kind == 1 and start <= addr and addr + size <= start + length:
            return elf[off + addr - start:off + addr - start + size]
    return None


def functions(path):
    """Returns {(name, address): size} of the functions that nm prints."""
    out = subprocess.run(["nm", "-S", path], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tTwW] (\S+)$", out, re.M)
    return {(name, int(addr, 16)): int(size, 16) for addr, size, name in found}


def test_compiled(checks, path, arch):
    elf_path, = glob.glob(os.path.join(COMPILED, f"calls-clang-O0-fp.{arch}.elf"))
    dump = os.path.join(path, "jit-1.dump")
    done = sim("show", "--jitdump", dump, elf_path)
    checks.equal((done.returncode, done.stdout), (0, ""),
                 f"{arch}: `show --jitdump` writes the code of a compiled case: {done.stderr}")
    data, elf, known = read(dump), read(elf_path), functions(elf_path)
    checks.equal(struct.unpack_from("<IIII", data)[1:], (1, 40, MACHINES[arch]),
                 f"{arch}: the jitdump's header has the machine")
    loads = {}
    for _, kind, record in records(data):
        addr, size = struct.unpack_from("<QQ", record, 32)
        checks.equal(kind, LOAD, "every record is a LOAD record", quiet=True)
        loads[(name_of(record), addr)] = record[len(record) - size:]
    checks.that(len(loads) > 3 and set(loads) <= set(known),
                f"{arch}: {len(loads)} functions have the names and addresses of nm")
    checks.that(all(code == bytes_at(elf, addr, known[(name, addr)]) for (name, addr), code in loads.items()),
                f"{arch}: the functions have the bytes of the ELF file")
    checks.equal(jitdump("check", "-q", dump).returncode, 0,
                 f"{arch}: jitdump check reports nothing")
    shown = sim("show", dump)
    checks.that(shown.returncode == 0 and f"({arch})" in shown.stdout,
                f"{arch}: `show` reads the jitdump and prints its architecture")
    checks.that(all(re.search(rf"^ *{addr:#x} +{len(code)} +{re.escape(name)}$", shown.stdout, re.M)
                    for (name, addr), code in loads.items()), f"{arch}: `show` prints all "
                                                              "functions")
    checks.equal(len(re.findall(r"^ +0x[0-9a-f]+  ret", shown.stdout, re.M)) >= len(loads) - 2, True,
                 f"{arch}: `show` disassembles the functions up to their return instructions")
    checks.that("(bad)" not in shown.stdout,
                f"{arch}: `show` disassembles every byte of the functions")


def main():
    checks = Checks()
    with folder() as path:
        for arch in MACHINES:
            test_compiled(checks, path, arch)
        dump = os.path.join(path, "jit-2.dump")
        done = sim("show", "--jitdump", dump, FIXTURE)
        checks.that(done.returncode == 1 and "both" in done.stderr and not os.path.exists(dump),
                    "`show --jitdump` refuses a fixture for two architectures without --arch")
        sizes = set()
        for arch, machine in MACHINES.items():
            done = sim("show", "--arch", arch, "--jitdump", dump, FIXTURE)
            data = read(dump)
            checks.equal((done.returncode, struct.unpack_from("<I", data, 12)[0]), (0, machine),
                         f"{arch}: `show --jitdump` writes the code of a fixture")
            sizes.add(len(data))
        checks.equal(len(sizes), 2, "the jitdumps of the two architectures differ in size")
        for cut in (0, 39, 40, 100, len(data) - 1):
            with open(dump, "wb") as file:
                file.write(data[:cut])
            done = sim("show", dump)
            checks.equal(done.returncode, 1 if cut < 40 else 0,
                         f"`show` accepts a file cut to {cut} bytes only if the header "
                         f"is complete: {done.stderr.strip()}")
        checks.equal(sim("run", dump).returncode != 0, True,
                     "`run` refuses a jitdump, which has no stack")
    return checks.end()


raise SystemExit(main())
