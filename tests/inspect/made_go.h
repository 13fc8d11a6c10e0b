/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A small Go program with the table that Go's linker writes, in an ELF file made with made_cfi.h,
 * without section headers. Code offsets are relative to MADE_CODE.
 */

#include "made_cfi.h"

#define MADE_GO_TABLE_OFF (MADE_HDR_OFF + 0x400)

/*
 * The versions of the table: go1.16, go1.18 and go1.20, which have different magic numbers, and
 * go1.26, whose table header has no text address.
 */
enum made_go_version { MADE_GO_1_16, MADE_GO_1_18, MADE_GO_1_20, MADE_GO_1_26, N_MADE_GO };

struct made_go {
	struct made_cfi elf;
	enum made_go_version version;
	u32 names_len, files_len, values_len, data_len; /* lengths so far */
	u32 n;
	struct made_go_record {
		u32 start, name, sp, file, line, inlining, data;
		u8 flags;
	} records[32];
};

/* A value that applies to the next @len bytes of code. */
struct made_go_value {
	u32 len;
	s32 value;
};

void made_go_init(struct made_go *g, u16 machine, enum made_go_version version);

/* Adds a function; it ends where the next one starts. */
struct made_go_record *made_go_function(struct made_go *g, const char *name, u32 start);

/* Adds a table of values from a list that ends with len 0; returns its offset. */
u32 made_go_values(struct made_go *g, const struct made_go_value *list);

/* Adds a file name; all compilation units use the same number for it. */
s32 made_go_file(struct made_go *g, const char *name);

/* Adds an inlined call to the function that was added last. The first call has the number 0. */
void made_go_inlined(struct made_go *g, const char *name, u32 call_off);

/* Stores code. */
void made_go_code(struct made_go *g, u32 off, const void *bytes, u32 len);

/* Writes the table; the last function ends at @end. */
void made_go_finish(struct made_go *g, u32 end);
