/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Queries on a profile. All tables of reports are results of queries.
 *
 *	stacks --> cells that count: --grep
 *	       --> groups, leaf first: --by, without the frames that --only leaves out
 *	       --> rows: one for each group, or a tree of them
 *
 * With QUERY_APP, the time of omitted frames counts for the nearest application function that
 * called them. With any other value of --only, the time of omitted frames counts for no
 * function. Shares are relative to all samples of the profile.
 */

#include "query_types.h"

/**
 * query_run() - run a query
 * @d:		outlives @result
 * @result:	free with query_result_free()
 *
 * Return: 0, -ENOENT (no such function), -EINVAL (@q->grep is not a valid regular
 * expression), -ENOSPC (too many groups) or -ENOMEM.
 */
int query_run(const struct prof_data *d, const struct query *q, struct query_result *result);
void query_result_free(struct query_result *result);

/*
 * Keeps @top rows: the first rows of a table, or the largest rows of a tree. Returns 0 or
 * -ENOMEM.
 */
int query_result_trim(struct query_result *result, const struct query *q, u32 top);
