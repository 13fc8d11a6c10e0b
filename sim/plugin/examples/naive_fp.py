#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""naive_fp.py CASE: an example of a plug-in for unspool-sim that trusts every frame pointer.

CASE is a 64-bit ELF core of x86-64 or arm64. The frames are printed as JSON.
"""

import json
import struct
import sys

EM_AARCH64, PT_LOAD, PT_NOTE, NT_PRSTATUS = 183, 1, 4, 1
PR_REG = 112  # of pr_reg in struct elf_prstatus, <linux/elfcore.h>


class Core:
    def __init__(self, data):
        self.data = data
        self.is_arm64 = struct.unpack_from("<H", data, 18)[0] == EM_AARCH64
        start, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
        # p_type, p_flags, p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align
        self.segments = [struct.unpack_from("<IIQQQQQQ", data, start + 56 * i) for i in range(count)]

    def registers(self):
        at = next(s[2] for s in self.segments if s[0] == PT_NOTE)
        while True:
            name_len, desc_len, kind = struct.unpack_from("<III", self.data, at)
            desc = at + 12 + (name_len + 3 & ~3)
            if kind == NT_PRSTATUS:
                regs = struct.unpack_from("<27Q" if not self.is_arm64 else "<34Q", self.data, desc + PR_REG)
                return (regs[32], regs[29]) if self.is_arm64 else (regs[16], regs[4])
            at = desc + (desc_len + 3 & ~3)

    def words(self, addr):
        """Returns two words at an address of the target, or None if the core lacks them."""
        for kind, _, offset, start, _, length, _, _ in self.segments:
            if kind == PT_LOAD and start <= addr and addr + 16 <= start + length:
                return struct.unpack_from("<QQ", self.data, offset + addr - start)
        return None


def main():
    with open(sys.argv[1], "rb") as file:
        core = Core(file.read())
    pc, fp = core.registers()
    frames, last = [pc], 0
    while fp >= 4096 and fp > last and (record := core.words(fp)):
        last, fp = fp, record[0]
        frames.append(record[1] & (1 << 48) - 1)  # arm64: without the signature
    status = "complete" if fp < 4096 else "failed"
    print(json.dumps({"frames": [{"pc": hex(pc)} for pc in frames], "status": status}))


main()
