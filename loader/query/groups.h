/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Groups of the frames, or of the cells, of a profile. Used only in loader/query. */

#include "query_types.h"
#include "threads.h"

struct group {
	const char *name, *where; /* @where may be NULL */
};

struct groups {
	struct group *v;
	u32 n;
	u32 *of; /* group of each frame, or of each cell */
	bool is_by_cell;
	struct functions functions;
	struct threads threads; /* labels for groups by thread */
	struct intern texts; /* texts "name \0 where \0", or "name \0" alone */
};

/* The caller frees the result with groups_free(). Returns 0, -ENOMEM or -ENOSPC. */
int groups_new(const struct prof_data *d, enum query_by by, struct groups **groups);
void groups_free(struct groups **groups);
