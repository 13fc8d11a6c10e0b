/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The unwind rows of a target while a case is being made, in growing tables. */

#include "target.h"

struct elf_file;

struct sim_rows {
	struct uw_row_page *pages;
	u32 *rows;
	struct uw_rule *rules; /* array of SIM_MAX_RULES rules */
	u32 n_pages, n_rows, n_rules;
	u32 pages_room, rows_room;
};

/**
 * sim_rows_of_file() - make the rows of all executable code of a file
 * @r:		empty; freed by sim_rows_deinit()
 * @module:	module id of the file
 * @follow:	derive rows from instructions for code without unwind information
 * The rows come from the call frame information (inspect/unwind/cfi.h).
 *
 * Return: 0 or a negative errno; -EFBIG if there are too many rows for an engine.
 */
int sim_rows_of_file(struct sim_rows *r, struct elf_file *f, u32 module, bool follow);

/**
 * sim_rows_add_page() - add one page of a file
 * @n rows, each with an offset and the index of a rule in @r
 *
 * Pages must be added in the order of module and page.
 *
 * Return: 0, -ENOMEM, -EFBIG.
 */
int sim_rows_add_page(struct sim_rows *r, u32 module, u32 page, const u32 *rows, u32 n);

/* Makes the target refer to the tables, which @r still owns. */
void sim_rows_use(const struct sim_rows *r, struct sim_target *t);
void sim_rows_deinit(struct sim_rows *r);
