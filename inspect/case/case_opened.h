/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The private part of the case that case_read() returns. Private to inspect/case. */

#include "case_modules.h"

#include "../unwind/rules.h"

/* The location of a range's bytes in a file, if they are not in memory. */
struct case_place {
	int fd; /* borrowed; -1: the bytes are in the core itself */
	u64 off;
};

struct case_opened {
	struct case_file c; /* the public part; must be the first member */
	struct core core;
	json_t *note; /* strings of c point into it */
	u8 *bytes; /* the bytes of all ranges of a case */
	struct case_place *places; /* for a plain core: one place per range */
	struct case_modules modules; /* for a plain core */
	struct dotnet_range *dotnet; /* for a plain core: the code ranges of its CoreCLR */
	u32 n_dotnet;
};

/**
 * case_take_plain() - make a case from a plain core
 * @o:		receives the case; its core is already open
 * @path:	path of the core, for @error
 *
 * Return: 0 or a negative errno with @error set.
 */
int case_take_plain(struct case_opened *o, const char *path, struct case_error *error);

/**
 * case_plain_add_dotnet() - add the code ranges of a plain core's CoreCLR to the mappings
 *
 * Return: 0, also when there is no CoreCLR or it is unreadable, or -ENOMEM.
 */
int case_plain_add_dotnet(struct case_opened *o);

/**
 * case_plain_image_rows() - get rows of a ReadyToRun image
 * @pc:		an address in the image
 * @page_off:	offset in the image's file, a multiple of UW_ROW_PAGE_LEN
 *
 * Return: as r2r_rows_page(), or -ESTALE if nothing proves that the process mapped the file.
 */
int case_plain_image_rows(struct case_opened *o, u64 pc, u64 page_off, struct rules *rules,
			  u32 *rows, u32 *n);
