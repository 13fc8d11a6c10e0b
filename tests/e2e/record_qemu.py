#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""record_qemu.py STAGE FIXTURES: records the arm64 part of the corpus under qemu-user.

Like record_live.py, with arm64 programs and maps.so in STAGE. A stopped program is written as a
core file. The native engine makes the walk in the case; the judge compares it with the programs'
sources.
"""

import os
import re
import socket
import subprocess
import sys
import time

import corpus
from lib import running
from qemu import Stub, write_core

OBJDUMP = "aarch64-linux-gnu-objdump"
SYSROOT = "/usr/aarch64-linux-gnu"
TRIES = 30
SLOWER = 8  # a leaf makes the default number of iterations divided by this


class Program:
    """A program under the emulator, which runs or is stopped."""

    def __init__(self, child, stage, binary):
        self.stage, self.binary, self.pid = stage, binary, child.pid
        self.stub = Stub(f"{stage}/gdb", child.pid, f"{stage}/maps")
        self.stub.send("c")

    def places(self, want, prefix):
        """Returns the addresses of the instruction in @want, several if V8 has copies of its
        builtins."""
        if len(want.at) == 3:
            return [corpus.compiled(self.pid, *want.at)]
        addr, _ = corpus.instruction(self.binary, prefix + want.at[0], want.at[1], OBJDUMP)
        code = [m for m in self.stub.mappings() if m.path == self.binary and "x" in m.prot]
        off = next(addr - m.start + m.off for m in code if m.start <= addr < m.end)
        return [off - m.off + m.start for m in code if m.off <= off < m.off + m.end - m.start]

    def stop(self, want, prefix):
        """Stops the program, which must be running, when it reaches one of these addresses."""
        self.stub.interrupt()
        if not self.stub.is_at_same_addresses(self.stub.registers()[32]):
            raise LookupError("the emulator now maps the guest's memory at other addresses")
        if want.at:
            self.stub.run_to(self.places(want, prefix))

    def take(self, want, prefix):
        """Makes a case of the stopped program, and resumes the program."""
        core = f"{self.stage}/{want.name}.core"
        try:
            self.stop(want, prefix)
            write_core(self.stub, core)
        finally:
            self.stub.send("c")
        return made_of(core, want, self.stage)


def made_of(core, want, stage):
    made = f"{stage}/made"
    subprocess.run(["rm", "-rf", made], check=True)
    os.makedirs(made)
    args = [] if want.whole else ["--minimal"]
    done = subprocess.run([corpus.SIM, "add", "--walk", *args, "-C", made, core],
                          capture_output=True, text=True, check=False)
    os.unlink(core)
    if done.returncode:
        raise LookupError(done.stderr.strip())
    case = f"{stage}/{want.name}.core.zst"
    os.rename(done.stdout.strip(), case)
    return case


def record(check, program, want, judge, prefix=""):
    why = case = None
    for _ in range(TRIES):
        try:
            case = program.take(want, prefix)
            why = corpus.why_not(judge, want, case)
        except (LookupError, socket.timeout) as error:
            why = str(error)
        if not why:
            break
        time.sleep(0.05)
    check.that(not why, f"{os.path.relpath(program.binary, program.stage)}: {want.name}: "
                        f"{why or str(os.path.getsize(case)) + ' bytes'}")
    return None if why else case


def emulated(stage, *argv):
    for name in ("gdb", "maps"):
        if os.path.exists(f"{stage}/{name}"):
            os.unlink(f"{stage}/{name}")
    return running(["qemu-aarch64", "-L", SYSROOT, "-cpu", "max", "-g", f"{stage}/gdb",
                    "-E", f"LD_PRELOAD={stage}/maps.so", "-E", f"MAPS={stage}/maps", *argv],
                   cwd=stage)


def wait_for_code(pid, names):
    """Waits until V8 has optimized these functions, or for a fixed time."""
    for _ in range(360):
        with open(f"/tmp/perf-{pid}.map", encoding="utf-8", errors="replace") as file:
            text = file.read()
        if all(re.search(rf":\*'?{name} ", text) for name in names):
            return
        time.sleep(0.5)


def record_node(check, version, stage, fixtures):
    binary, known = f"{stage}/node/{version}/bin/node", f"{stage}/known"
    judge, cases = corpus.NodeJudge(known), []
    for mode, (_, work) in corpus.RUN_MODES.items():
        flags = ["--perf-basic-prof", *corpus.flags_of(mode, version)]
        with emulated(stage, binary, *flags, f"{known}/run.js", str(work // SLOWER)) as child:
            program = Program(child, stage, binary)
            assert child.stdout.readline() == b"running\n"
            time.sleep(3)
            if mode == "optimized":
                wait_for_code(child.pid, [w.at[0] for w in corpus.for_version("arm64", version)
                                          if len(w.at) == 3])
            cases += [record(check, program, w, judge, "Builtins_")
                      for w in corpus.for_version("arm64", version) if w.mode == mode]
    corpus.take(check, cases, stage, fixtures)


def record_native(check, stage, fixtures):
    cases = []
    with emulated(stage, f"{stage}/busy") as child:
        judge = corpus.NestingJudge("busy_inner", "busy_outer", "main")
        program = Program(child, stage, f"{stage}/busy")
        assert child.stdout.readline() == b"running\n"
        cases += [record(check, program, w, judge) for w in corpus.BUSY["arm64"]]
    judge = corpus.NestingJudge("spin", "lose", "main")
    for want in corpus.LOST:
        if want.mode == "unmapped":
            continue  # a core file does not distinguish unreadable memory from omitted memory
        with emulated(stage, f"{stage}/lost", want.mode) as child:
            program = Program(child, stage, f"{stage}/lost")
            assert child.stdout.readline() == b"running\n"
            cases.append(record(check, program, want, judge))
    corpus.take(check, cases, stage, fixtures)


if __name__ == "__main__":
    sys.exit(corpus.record_all(record_native, record_node))
