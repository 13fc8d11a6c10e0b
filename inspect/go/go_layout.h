/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The parts of a .gopclntab; go_find.c finds the parts, and go_table.c reads them. */

#include "go_table.h"

enum go_version { GO_1_16, GO_1_18, GO_1_20 };

struct go_table {
	const struct elf_file *file;
	enum go_version version;
	u8 quantum; /* minimum length of an instruction */
	u32 n; /* number of functions */
	u64 addr, end; /* start of the table, and end of its segment */
	u64 names, units, files, values, functions;
	u64 text; /* base of the functions' addresses; 0 with GO_1_16 */
	u64 data; /* base of the functions' data; 0: unknown */
};

#define GO_HEADER_LEN 72
#define GO_MAX_FUNCTIONS (4u << 20)

/* Sets all members except file. Return: 0, -ENOENT or the errno of reading. */
int go_find(struct go_table *t);
