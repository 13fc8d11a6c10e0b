/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The unwind rows of a target, while a case is made: tables that grow. */

#include "target.h"

struct elf_file;

struct sim_rows {
	struct uw_row_page *pages;
	u32 *rows;
	struct uw_rule *rules; /* SIM_MAX_RULES of them */
	u32 n_pages, n_rows, n_rules;
	u32 pages_room, rows_room;
};

/**
 * sim_rows_of_file() - the rows of all executable code of a file
 * @r:		empty; ends with sim_rows_deinit()
 * @module:	whose rows they are
 * @follow:	code that nobody describes gets rows by its instructions
 *
 * As the call frame information has them (inspect/unwind/cfi.h).
 *
 * Return: 0 or a negative errno; -EFBIG: more than every engine has room for.
 */
int sim_rows_of_file(struct sim_rows *r, struct elf_file *f, u32 module, bool follow);

/**
 * sim_rows_add_page() - one page of a file
 * @rows:	@n of them, offset and rule; the rule is one of @r
 *
 * Pages come in the order of module and page.
 *
 * Return: 0, -ENOMEM, -EFBIG.
 */
int sim_rows_add_page(struct sim_rows *r, u32 module, u32 page, const u32 *rows, u32 n);

/* The tables become the target's: borrowed from @r. */
void sim_rows_use(const struct sim_rows *r, struct sim_target *t);
void sim_rows_deinit(struct sim_rows *r);
