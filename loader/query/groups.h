/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the frames, or the cells, of a profile are grouped by. Private to loader/query. */

#include "query_types.h"
#include "threads.h"

struct group {
	const char *name, *where; /* where is NULL: the name says all */
};

struct groups {
	struct group *v;
	u32 n;
	u32 *of; /* by frame, or by cell */
	bool is_by_cell;
	struct functions functions;
	struct threads threads; /* grouped by thread */
	struct intern texts; /* "name \0 where \0", or "name \0" alone */
};

/* Free with groups_free(). 0, -ENOMEM or -ENOSPC. */
int groups_new(const struct prof_data *d, enum query_by by, struct groups **groups);
void groups_free(struct groups **groups);
