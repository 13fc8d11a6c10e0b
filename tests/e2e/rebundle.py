# SPDX-License-Identifier: BSD-2-Clause
"""rebundle.py APP ASSEMBLY OUT: replaces the main assembly of a single-file .NET program.
rebundle.py --extract APP FOLDER: extracts the class library of APP, to compile ASSEMBLY against it.

APP is any program for an architecture for which no .NET runtime is published. The host in APP
starts the assembly with the name of APP; ASSEMBLY replaces that assembly. Assembly and manifest are
appended to the copy:

    APP, with the manifest's new address | ASSEMBLY | manifest

Sources: src/installer/managed/Microsoft.NET.HostModel/Bundle/Manifest.cs and FileEntry.cs of
dotnet/runtime at v10.0.0 (version 6.0), and HostWriter.cs for the position of the address.
"""

import hashlib
import os
import re
import struct
import sys

SIGNATURE = hashlib.sha256(b".net core bundle\n").digest()  # follows the manifest's address
VERSION = (6, 0)
ALIGNED = 4096
HEAD_LEN = 40  # two offsets and sizes, and flags
ENTRY = struct.Struct("<qqqB")  # offset, size, compressed size, type


def text_end(data, at):
    """Returns (start, end) of a text. Before the text is the length, encoded with 7 bits per
    byte."""
    length = shift = 0
    while True:
        byte = data[at]
        at += 1
        length |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return at, at + length


def entries(data, at):
    """Yields the end of the manifest's head at @at, then (offset, size, compressed size, type,
    name) of each entry."""
    major, minor, count = struct.unpack_from("<IIi", data, at)
    assert (major, minor) == VERSION, f"the manifest has the unsupported version {major}.{minor}"
    end = text_end(data, at + 12)[1] + HEAD_LEN
    yield end
    for _ in range(count):
        first, last = text_end(data, end + ENTRY.size)
        assert last - first < 0x80, "a name whose length takes more than a byte"
        yield *ENTRY.unpack_from(data, end), bytes(data[first:last])
        end = last


def manifest(data, at, name, place):
    """Returns the manifest at @at, with @place, which is (offset, size), in the entry of @name."""
    head_end, *rest = entries(data, at)
    out, found = bytearray(data[at:head_end]), 0
    for offset, size, packed, kind, text in rest:
        if text == name:
            offset, size, packed = *place, 0
            found += 1
        out += ENTRY.pack(offset, size, packed, kind) + bytes([len(text)]) + text
    assert found == 1, f"{found} files of the bundle, not one, have the name {name.decode()}"
    return bytes(out)


def replace(data, assembly, name):
    """Returns @data with the assembly @name replaced."""
    address = data.index(SIGNATURE) - 8
    offset = -len(data) % ALIGNED + len(data)
    old = struct.unpack_from("<q", data, address)[0]
    data += bytes(offset - len(data)) + assembly
    header = manifest(data, old, name, (offset, len(assembly)))
    struct.pack_into("<q", data, address, len(data))
    return data + header


def extract(data, folder):
    os.mkdir(folder)
    _, *rest = entries(data, struct.unpack_from("<q", data, data.index(SIGNATURE) - 8)[0])
    for offset, size, packed, _, text in rest:
        if re.fullmatch(rb"(System\.[\w.]+|mscorlib)\.dll", text) and not packed:
            with open(os.path.join(folder, text.decode()), "wb") as file:
                file.write(data[offset:offset + size])


def read(path):
    with open(path, "rb") as file:
        return bytearray(file.read())


def main():
    if sys.argv[1] == "--extract":
        return extract(read(sys.argv[2]), sys.argv[3])
    app, assembly, out = sys.argv[1:]
    data = replace(read(app), read(assembly), os.path.basename(app).encode() + b".dll")
    with open(out, "wb") as file:
        file.write(data)
    return os.chmod(out, 0o755)


if __name__ == "__main__":
    sys.exit(main())
