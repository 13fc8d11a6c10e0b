/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One ELF file with all code that lived at a time: symbols, and lines as DWARF 4. perf
 * inject makes a file a function, always of its own machine; this is of the header's.
 */

#include "jd_file.h"

/**
 * jd_elf_write() - write code at its addresses
 * @fd:		empty; ET_EXEC
 * @time:	of the records' clock; what was live then
 * @n:		how many functions it has
 *
 * Return: 0, -ENODATA: nothing was live, -E2BIG: code in more than 30,000 places,
 * -EINVAL: no machine in the header, -ENOMEM, or what writing gave.
 */
int jd_elf_write(const struct jd_file *f, int fd, u64 time, u64 *n);
