/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The unwind rows that a walk used, for the case that records the walk. */

#include "case.h"

/* The walk's tables. */
struct case_rule_source {
	/* The rule for a file offset in a module; NULL: the tables lack the page of rows. */
	const struct uw_rule *(*find)(void *ctx, u32 module, u64 file_off);
	/* The mapping around a pc, or NULL. */
	const struct uw_mapping *(*mapping)(void *ctx, u64 pc);
	void *ctx;
};

/**
 * case_rows_used() - repeat the row lookups of a walk
 * @frames:	frames of the walk
 * @out:	the sorted rows, to be freed with free(); NULL if there are none
 *
 * Return: 0, -ENOMEM, or -ESTALE: a page that the walk used has since been evicted, so the
 * case would differ from the walk.
 */
int case_rows_used(const struct uw_frame *frames, u32 n_frames,
		   const struct case_rule_source *source, struct case_row **out, u32 *n_out);
