# SPDX-License-Identifier: BSD-2-Clause
"""Makes ELF files that are small on disk and describe much work or memory.

Each file has a page of code at offset 4,096, an endless loop. @chance draws the variant.
"""

import lzma
import struct

CODE_OFF, TABLES_OFF = 4096, 8192
HOLE_OFF = 1 << 21
HOLE = 1 << 30
LOOP = {"x86_64": b"\xf3\x90\xeb\xfc", "aarch64": b"\x00\x00\x00\x14"}
MACHINE = {"x86_64": 62, "aarch64": 183}
PT_LOAD, PT_NOTE = 1, 4
PROGBITS, SYMTAB, STRTAB, RELA, DYNSYM = 1, 2, 3, 4, 11


def section(kind, off, size, link=0, entsize=0, name=0):
    return struct.pack("<IIQQQQIIQQ", name, kind, 2, off, off, size, link, 0, 8, entsize)


def segment(kind, off, size, flags=4, addr=None):
    return struct.pack("<IIQQQQQQ", kind, flags, off, off if addr is None else addr, 0, size, size, 4)


def write(path, arch, sections, segments=(), data=(), length=HOLE_OFF + HOLE, names=1):
    """@data: (offset, bytes) pairs; @names: index of the section with the names of sections."""
    segments = [segment(PT_LOAD, CODE_OFF, 4096, 5), *segments]
    at = TABLES_OFF
    shoff = at + 56 * len(segments)
    shnum = len(sections) + 1
    # A number that does not fit into the header is in the first section.
    first = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, shnum if shnum >= 0xff00 else 0, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, MACHINE[arch], 1, CODE_OFF,
                               at, shoff, 0, 64, 56, len(segments), 64,
                               shnum if shnum < 0xff00 else 0, names))
        file.seek(CODE_OFF)
        file.write(LOOP[arch])
        file.seek(at)
        file.write(b"".join(segments) + first + b"".join(sections))
        for off, content in data:
            file.seek(off)
            file.write(content)
        file.truncate(max(length, file.seek(0, 2)))


def symbol_tables(path, arch, chance):
    """Many symbol tables over one hole."""
    count, size = chance.choice([60000, 8000]), chance.randrange(HOLE // 2, HOLE) // 24 * 24
    names = section(STRTAB, HOLE_OFF, 4096)
    write(path, arch, [names] + [section(chance.choice([SYMTAB, DYNSYM]), HOLE_OFF, size, 1, 24)
                                 for _ in range(count)])


def section_names(path, arch, chance):
    """The names of sections are a hole."""
    size = chance.randrange(HOLE // 2, HOLE)
    write(path, arch, [section(STRTAB, HOLE_OFF, size), section(PROGBITS, HOLE_OFF, 64, name=5)])


def relocations(path, arch, chance):
    """Sections of relocations over a hole, with a size of elements that makes their number small."""
    size = chance.randrange(HOLE // 2, HOLE)
    tables = [section(STRTAB, HOLE_OFF, 4096), section(STRTAB, HOLE_OFF, size),
              section(DYNSYM, HOLE_OFF, size // 24 * 24, 2, 24)]
    write(path, arch, tables + [section(RELA, HOLE_OFF + 8 * i, size - 4096, 3, size // 64)
                                for i in range(chance.randrange(4, 12))])


def notes(path, arch, chance):
    """Many note segments of 64 KiB."""
    count = chance.randrange(15000, 25000)
    write(path, arch, [], [segment(PT_NOTE, HOLE_OFF + 4 * i, 65532) for i in range(count)], names=0)


def go_magic(path, arch, chance):
    """Each word of the data is the magic number of Go's table of functions."""
    magic = struct.pack("<IBBBB", 0xfffffff1, 0, 0, 1 if arch == "x86_64" else 4, 8)
    size = chance.randrange(8, 16) << 20
    segments = [segment(PT_LOAD, HOLE_OFF, size, 4, (1 << 32) * (i + 1)) for i in range(20)]
    names = b"\0.go.buildinfo\0"
    write(path, arch, [section(STRTAB, 1 << 20, len(names)), section(PROGBITS, 1 << 20, 8, name=1)],
          segments, [(1 << 20, names), (HOLE_OFF, magic * (size // 8))], HOLE_OFF + size)


def debug_data(path, arch, chance):
    """.gnu_debugdata that is 60 MB of zeros when it is decompressed."""
    names = b"\0.gnu_debugdata\0"
    packed = lzma.compress(bytes(chance.randrange(50, 63) << 20), preset=1)
    write(path, arch, [section(STRTAB, 1 << 20, len(names)),
                       section(PROGBITS, HOLE_OFF, len(packed), name=1)], (),
          [(1 << 20, names), (HOLE_OFF, packed)], HOLE_OFF + len(packed))


KINDS = [symbol_tables, section_names, relocations, notes, go_magic, debug_data]
