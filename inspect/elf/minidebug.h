/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "elf_file.h"

/**
 * minidebug_open() - decompress the small ELF file in .gnu_debugdata
 * @max_len:	limit of the decompressed length
 * @fd:		a memfd; the caller closes it
 *
 * The file contains the functions of .symtab that are not in .dynsym (gdb's manual,
 * "MiniDebugInfo"), compressed with xz. Decompression takes up to MINIDEBUG_MEMORY bytes in
 * addition, and a tenth of a second for 10 MiB.
 *
 * Return: 0, -ENOENT (no such section), -EFBIG, -ENOEXEC (not xz, or corrupt), -ENOMEM.
 */
int minidebug_open(struct elf_file *f, u64 max_len, int *fd);

#define MINIDEBUG_MEMORY (64u << 20)
