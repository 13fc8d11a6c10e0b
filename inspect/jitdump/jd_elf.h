/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes one ELF file with all code that was live at one time, with symbols, and with lines as DWARF
 * 4. In contrast, perf inject makes a file per function, and always for the machine that perf runs
 * on; this ELF file is for the machine in the jitdump's header.
 */

#include "jd_file.h"

/**
 * jd_elf_write() - write code at its addresses
 * @fd:		an empty file, which becomes an ET_EXEC
 * @time:	a time on the clock of the records; the code that was live at this time is written
 * @n:		set to the number of functions written
 *
 * Return: 0, -ENODATA if nothing was live, -E2BIG for code in more than 30,000 places, -EINVAL if
 * the header has no machine, -ENOMEM, or the errno of writing.
 */
int jd_elf_write(const struct jd_file *f, int fd, u64 time, u64 *n);
