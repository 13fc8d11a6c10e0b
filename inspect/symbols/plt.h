/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../elf/elf_file.h"

/* A stub of a procedure linkage table. */
struct plt_stub {
	u64 addr, len;
	u64 name_off; /* file offset of the name of the function that the stub calls */
};

/**
 * plt_each() - visit the stubs for functions of other files
 * @fn:		called for each; a non-zero return ends the loop
 *
 * Decodes each stub to find the slot of the global offset table that it jumps through; the
 * relocations map the slot to a function. Therefore the layout of the tables and the code before
 * the first stub, which differ between linkers, do not matter.
 *
 * Return: the last result of @fn, or 0 (also when there are none, or the file is crafted), -ENOMEM.
 */
int plt_each(struct elf_file *f, int (*fn)(const struct plt_stub *s, void *data), void *data);
