#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""embed.py NAME FILE OUT: writes FILE as a C source that defines `const struct sim_blob NAME`."""

import sys

name, source, out = sys.argv[1:]
with open(source, "rb") as f:
    data = f.read()
with open(out, "w", encoding="ascii") as f:
    f.write('#include "engine/blob.h"\n')
    f.write(f"static const u8 bytes[] __attribute__((aligned(16))) = {{\n")
    for at in range(0, len(data), 16):
        f.write(",".join(str(byte) for byte in data[at:at + 16]) + ",\n")
    f.write(f"}};\nconst struct sim_blob {name} = {{ bytes, sizeof(bytes) }};\n")
