/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One ELF file with all code that was live at a time: symbols, and lines as DWARF 4. perf
 * inject makes a file per function, always of its own machine; this is of the header's.
 */

#include "jd_file.h"

/**
 * jd_elf_write() - write code at its addresses
 * @fd:		empty; ET_EXEC
 * @time:	by the records' clock; code live then is written
 * @n:		number of functions written
 *
 * Return: 0, -ENODATA: nothing was live, -E2BIG: code in more than 30,000 places,
 * -EINVAL: no machine in the header, -ENOMEM, or the errno of writing.
 */
int jd_elf_write(const struct jd_file *f, int fd, u64 time, u64 *n);
