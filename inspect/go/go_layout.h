/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where the parts of a table are, for go_find.c that finds them and go_table.c that reads them. */

#include "go_table.h"

enum go_version { GO_1_16, GO_1_18, GO_1_20 };

struct go_table {
	const struct elf_file *file;
	enum go_version version;
	u8 quantum; /* bytes of an instruction, at least */
	u32 n; /* functions */
	u64 addr, end; /* the table, and where its segment ends */
	u64 names, units, files, values, functions;
	u64 text; /* the functions' addresses are counted from; 0 with GO_1_16 */
	u64 data; /* their data's are; 0: not known */
};

#define GO_HEADER_LEN 72
#define GO_MAX_FUNCTIONS (4u << 20)

/* Fills all but @file. 0, -ENOENT or what reading gave. */
int go_find(struct go_table *t);
