/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One ELF file with all code that was live at one time: symbols, and lines as DWARF 4. perf inject
 * makes a file per function, always for the machine that perf runs on; this file is for the
 * machine of the jitdump's header.
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
