/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../elf/elf_file.h"

/* A stub of a procedure linkage table. */
struct plt_stub {
	u64 addr, len;
	u64 name_off; /* file offset of the name of what it leads to */
};

/**
 * plt_each() - the stubs that lead to functions of other files
 * @fn:		called for each; a non-zero return ends the loop
 *
 * Each stub is asked which slot of the global offset table it jumps through, and the
 * relocations which function that slot is for: how the tables are laid out, and what is
 * in front of the first stub, differs from linker to linker.
 *
 * Return: what @fn returned last, or 0 (also when there are none, or the file is crafted), -ENOMEM.
 */
int plt_each(struct elf_file *f, int (*fn)(const struct plt_stub *s, void *data), void *data);
