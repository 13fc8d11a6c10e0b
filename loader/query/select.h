/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The cells and frames of a profile that a query selects. Private to loader/query. */

#include "groups.h"

struct selection {
	const struct prof_data *data;
	const struct groups *groups;
	bool folds; /* the time of hidden frames counts for their callers */
	bool *is_shown; /* by frame */
	bool *is_in; /* index: stack; NULL: the query selects all stacks */
	u8 *origins; /* by frame */
};

/* The groups of a stack, leaf first; equal neighbours are merged. */
struct selection_path {
	u64 count;
	u32 n;
	bool has_self; /* the time of the leaf counts for the first group */
	enum origin leaf; /* origin of the innermost frame */
	u32 groups[PROF_MAX_FRAMES];
};

/*
 * The caller calls selection_deinit(), even on failure. Returns 0, -EINVAL (invalid regular
 * expression), -ENOMEM.
 */
int selection_init(const struct prof_data *d, const struct query *q, const struct groups *g,
		   struct selection *s);
void selection_deinit(struct selection *s);

/* Makes the path of a cell. Returns false if the query does not select the cell. */
bool selection_path(const struct selection *s, u32 cell, struct selection_path *path);

/*
 * Makes the path of an awaited function and its async callers. Returns false if the stack has
 * none.
 */
bool selection_awaited(const struct selection *s, u32 cell, struct selection_path *path);
