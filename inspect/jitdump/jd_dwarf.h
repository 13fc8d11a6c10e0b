/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Makes the debug sections for jd_elf_write(). */

#include "jdw.h"

struct jd_function {
	struct jdr_record load, debug; /* debug.bytes is NULL if there are no lines */
	u64 addr; /* the function's final address */
};

struct jd_dwarf {
	struct jdw_buf abbrev, aranges, info, line, ranges;
};

/**
 * jd_dwarf_make() - make one unit with an entry per function, and a line sequence per
 *	function with lines
 * @d:		zeroed; free with jd_dwarf_deinit()
 * @addr_len:	4 or 8
 *
 * Return: 0 or -ENOMEM.
 */
int jd_dwarf_make(struct jd_dwarf *d, const struct jdr_header *h,
		  const struct jd_function *functions, size_t n, u8 addr_len);
void jd_dwarf_deinit(struct jd_dwarf *d);
