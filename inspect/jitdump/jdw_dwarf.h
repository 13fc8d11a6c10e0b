/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The functions of an image, from its debug information. */

#include <elfutils/libdw.h>

#include "jdr.h"

struct jdw_function {
	u64 lo, hi; /* addresses in the image */
	char *name; /* NULL: none */
	u32 part; /* index of the range: 0 for the first (hot), 1 for the next (cold) */
	Dwarf_Lines *lines; /* lines of the compilation unit; NULL: none */
	size_t n_lines;
};

struct jdw_functions {
	struct jdw_function *all; /* sorted by lo */
	size_t n, room;
	u32 broken_units;
};

/**
 * jdw_functions_read() - list every function of every unit
 * @list:	zeroed; free with jdw_functions_deinit(). The lines of the functions belong to @dw
 *
 * Includes functions nested in classes, namespaces and functions, but neither declarations nor
 * inlined copies, which have no code of their own. An unreadable unit is counted and skipped.
 *
 * Return: 0 or -ENOMEM.
 */
int jdw_functions_read(Dwarf *dw, struct jdw_functions *list);
void jdw_functions_deinit(struct jdw_functions *list);
