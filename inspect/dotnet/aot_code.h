/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The code that the NativeAOT compiler made of .NET methods. */

#include "../elf/elf_file.h"

struct aot_code {
	u64 start[2], end[2]; /* link-time addresses; all 0: the file has no such code */
	char assembly[128]; /* mangled name of the program's own assembly; empty: unknown */
};

/* Finds the code of a file, or of the binary to which a debug file belongs. */
void aot_code_find(struct aot_code *code, struct elf_file *f);

/* As demangle(), for the symbol or the linkage name of a function at @addr. */
void aot_code_demangle(const struct aot_code *code, u64 addr, const char *mangled, char *dst,
		       size_t len);
