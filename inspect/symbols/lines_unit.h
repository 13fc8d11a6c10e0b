/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The functions of one compilation unit by address. Private to lines.c. */

#include <elfutils/libdw.h>

#include "../../core/types.h"

struct lines_range {
	u64 start_addr, end_addr;
	Dwarf_Off die_off; /* offset of the DIE of the unit or function */
};

struct lines_ranges {
	struct lines_range *v; /* sorted by start */
	size_t n, room;
};

/*
 * Adds all ranges of an entry except those that start below @min_addr, which linkers leave for
 * discarded functions. Return: 0, -E2BIG or -ENOMEM.
 */
int lines_ranges_add(struct lines_ranges *r, Dwarf_Die *die, u64 min_addr);
void lines_ranges_sort(struct lines_ranges *r);
/* The smallest range around an address, or NULL. */
const struct lines_range *lines_ranges_find(const struct lines_ranges *r, u64 addr);

/**
 * lines_unit_functions() - list the functions of a unit that have code
 * @max_entries: limit of entries; the file's length in bytes is enough, because an entry has at
 * least one byte
 *
 * Return: 0, -ENOEXEC, -E2BIG or -ENOMEM.
 */
int lines_unit_functions(Dwarf_Die *unit, u64 min_addr, u64 max_entries, struct lines_ranges *r);
