# SPDX-License-Identifier: BSD-2-Clause
"""Stops an arm64 program under qemu-user through the emulator's gdb stub, and writes the program as
a core file.

The program's memory is read from the emulator's process, at the same addresses. Only the thread
that is stopped pauses.
"""

import ctypes
import os
import re
import signal
import socket
import struct
import time
from dataclasses import dataclass

PAGE = 4096
EM_AARCH64, ET_CORE, PT_LOAD, PT_NOTE = 183, 4, 1, 4
NT_PRSTATUS, NT_AUXV, NT_FILE = 1, 6, 0x46494c45
SYS_TGKILL = 234  # system call number of x86-64, the emulator's host


@dataclass(frozen=True)
class Mapping:
    start: int
    end: int
    off: int
    prot: str
    path: str

    @property
    def is_file(self):
        return self.path.startswith("/")

    @property
    def flags(self):
        return sum(bit for bit, letter in ((4, "r"), (2, "w"), (1, "x")) if letter in self.prot)


class Stub:
    """The part of gdb's remote protocol that is needed here."""

    def __init__(self, path, pid, maps):
        self.pid, self.maps = pid, maps
        self.link = socket.socket(socket.AF_UNIX)
        self.link.settimeout(60)
        for _ in range(200):
            try:
                self.link.connect(path)
                break
            except OSError:
                time.sleep(0.1)
        self.data = b""
        self.ask("?")

    def send(self, text):
        self.link.sendall(f"${text}#{sum(text.encode()) % 256:02x}".encode())

    def packet(self):
        """Returns the next packet, as bytes."""
        while not (found := re.search(rb"\$([^#]*)#..", self.data, re.DOTALL)):
            more = self.link.recv(65536)
            if not more:
                raise EOFError("the emulator has ended")
            self.data += more
        self.data = self.data[found.end():]
        self.link.sendall(b"+")
        return found.group(1)

    def ask(self, text):
        self.send(text)
        return self.packet()

    def interrupt(self):
        """Stops the first thread, which must be running, at its current instruction."""
        ctypes.CDLL(None).syscall(SYS_TGKILL, self.pid, self.pid, signal.SIGUSR2)
        return self.packet()

    def run_to(self, addrs):
        """Resumes a stopped program and runs it up to one of these instructions."""
        for addr in addrs:
            self.ask(f"Z0,{addr:x},4")
        try:
            self.ask("c")
        except socket.timeout:
            self.interrupt()
            raise
        finally:
            for addr in addrs:
                self.ask(f"z0,{addr:x},4")

    def registers(self):
        """Returns x0 to x30, sp, pc and pstate, the registers of NT_PRSTATUS."""
        raw = bytes.fromhex(self.ask("g").decode())
        return [*struct.unpack_from("<33Q", raw), struct.unpack_from("<I", raw, 264)[0]]

    def auxv(self):
        raw = self.ask("qXfer:auxv:read::0,1000")[1:]
        return re.sub(rb"}(.)", lambda m: bytes([m.group(1)[0] ^ 0x20]), raw, flags=re.DOTALL)

    def mappings(self):
        """Returns the mappings as the program itself reads them (maps.c), not before this call."""
        before = time.time()
        while not os.path.exists(self.maps) or os.stat(self.maps).st_mtime < before + 0.01:
            time.sleep(0.05)
            if time.time() > before + 60:
                raise EOFError("the program does not write its mappings")
        with open(self.maps, encoding="utf-8") as file:
            lines = re.findall(r"^(\w+)-(\w+) (\S+) (\w+) \S+ \S+ *(.*)$", file.read(), re.M)
        return [Mapping(int(a, 16), int(b, 16), int(off, 16), prot, path)
                for a, b, prot, off, path in lines]

    def read(self, addr, length):
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as memory:
            memory.seek(addr)
            return memory.read(length)

    def is_at_same_addresses(self, addr):
        return bytes.fromhex(self.ask(f"m{addr:x},10").decode()) == self.read(addr, 16)


def note(kind, desc):
    name = b"CORE\0\0\0\0"
    return struct.pack("<III", 5, len(desc), kind) + name + desc + b"\0" * (-len(desc) % 4)


def notes(stub, registers, mappings):
    prstatus = struct.pack("<III100x34Q8x", signal.SIGUSR2, 0, 0, *registers)
    prstatus = prstatus[:32] + struct.pack("<I", stub.pid) + prstatus[36:]
    files = [m for m in mappings if m.is_file]
    table = struct.pack("<QQ", len(files), PAGE)
    table += b"".join(struct.pack("<QQQ", m.start, m.end, m.off // PAGE) for m in files)
    table += b"".join(m.path.encode() + b"\0" for m in files)
    return note(NT_PRSTATUS, prstatus) + note(NT_AUXV, stub.auxv()) + note(NT_FILE, table)


def length_kept(mapping):
    """Returns the bytes of the segment to write. As in the kernel's core files, only the first page
    of a file's code is written."""
    if "r" not in mapping.prot:
        return 0
    if mapping.is_file and "w" not in mapping.prot and "x" in mapping.prot:
        return 0 if mapping.off else PAGE
    return mapping.end - mapping.start


def write_core(stub, path):
    """Returns all memory of the program except for contents of mapped files."""
    mappings = [m for m in stub.mappings() if not m.path.startswith("[v")]
    text = notes(stub, stub.registers(), mappings)
    off = 64 + 56 * (len(mappings) + 1)
    headers = [struct.pack("<IIQQQQQQ", PT_NOTE, 0, off, 0, 0, len(text), 0, 4)]
    off = (off + len(text) + PAGE - 1) // PAGE * PAGE
    with open(path, "wb") as core:
        for m in mappings:
            kept = length_kept(m)
            data = stub.read(m.start, kept) if kept else b""
            headers.append(struct.pack("<IIQQQQQQ", PT_LOAD, m.flags, off, m.start, 0,
                                       len(data), m.end - m.start, PAGE))
            core.seek(off)
            core.write(data)
            off += (len(data) + PAGE - 1) // PAGE * PAGE
        core.seek(0)
        core.write(b"\x7fELF\x02\x01\x01" + bytes(9))
        core.write(struct.pack("<HHIQQQIHHHHHH", ET_CORE, EM_AARCH64, 1, 0, 64, 0, 0, 64, 56,
                               len(headers), 0, 0, 0))
        core.write(b"".join(headers) + text)
