/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "elf_file.h"

/**
 * minidebug_open() - the small ELF file in .gnu_debugdata
 * @max_len:	refuse more than that, decompressed
 * @fd:		a file in memory; the caller closes it
 *
 * It holds the functions of .symtab that are not in .dynsym (gdb's manual, "MiniDebugInfo"),
 * and is compressed with xz. Decompressing takes up to MINIDEBUG_MEMORY bytes beside it, and
 * a tenth of a second for 10 MiB.
 *
 * Return: 0, -ENOENT (no such section), -EFBIG, -ENOEXEC (not xz, or broken), -ENOMEM.
 */
int minidebug_open(struct elf_file *f, u64 max_len, int *fd);

#define MINIDEBUG_MEMORY (64u << 20)
