/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The cells and frames of a profile that a query selects. Private to loader/query. */

#include "groups.h"

struct selection {
	const struct prof_data *data;
	const struct groups *groups;
	bool folds; /* time of hidden frames counts for their callers */
	bool *is_shown; /* by frame */
	bool *is_in; /* by stack; NULL: all are */
	u8 *origins; /* by frame */
};

/* The groups of a stack, leaf first, neighbours distinct. */
struct selection_path {
	u64 count;
	u32 n;
	bool has_self; /* the first group is the leaf, or gets the leaf's time */
	enum origin leaf; /* of the innermost frame */
	u32 groups[PROF_MAX_FRAMES];
};

/* Free with selection_deinit(), also on failure. 0, -EINVAL (bad regular expression), -ENOMEM. */
int selection_init(const struct prof_data *d, const struct query *q, const struct groups *g,
		   struct selection *s);
void selection_deinit(struct selection *s);

/* The path of a cell. False: the query does not select the cell. */
bool selection_path(const struct selection *s, u32 cell, struct selection_path *path);

/* The path of an awaited function and its async callers. False: the stack has none. */
bool selection_awaited(const struct selection *s, u32 cell, struct selection_path *path);
