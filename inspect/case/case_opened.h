/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What case_read() gives, as this folder sees it. Private to inspect/case. */

#include "case_modules.h"

#include "../unwind/rules.h"

/* Where a range's bytes are that are not in memory. */
struct case_place {
	int fd; /* borrowed; -1: the core itself */
	u64 off;
};

struct case_opened {
	struct case_file c; /* first: what the reader sees */
	struct core core;
	json_t *note; /* texts of c point into it */
	u8 *bytes; /* of all ranges of a case */
	struct case_place *places; /* of a plain core, for each range */
	struct case_modules modules; /* of a plain core */
	struct dotnet_range *dotnet; /* of a plain core: what its CoreCLR says of its code */
	u32 n_dotnet;
};

/**
 * case_take_plain() - make a case of a core that is none
 * @o:		its core is open
 * @path:	for @error
 *
 * Return: 0 or a negative errno with @error set.
 */
int case_take_plain(struct case_opened *o, const char *path, struct case_error *error);

/**
 * case_plain_add_dotnet() - what a CoreCLR in a plain core says of its code, over the mappings
 *
 * Return: 0, also when there is none or it can't be read, or -ENOMEM.
 */
int case_plain_add_dotnet(struct case_opened *o);

/**
 * case_plain_image_rows() - rows of code that was compiled ahead of time
 * @pc:		in it
 * @page_off:	offset in its file, a multiple of UW_ROW_PAGE_LEN
 *
 * Return: as r2r_rows_page(), or -ESTALE: the file can't be proved to be the process's.
 */
int case_plain_image_rows(struct case_opened *o, u64 pc, u64 page_off, struct rules *rules,
			  u32 *rows, u32 *n);
