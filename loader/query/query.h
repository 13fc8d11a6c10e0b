/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Questions to a profile. The report, comparisons and tables of a page ask here.
 *
 *	stacks --> cells that count: --grep
 *	       --> groups, leaf first: --by, without the frames that --only leaves out
 *	       --> rows: one for each group, or a tree of them
 *
 * Frames that are left out: with QUERY_APP, their time is the nearest application
 * function's that called them; with a kind, it is nobody's. Shares are of all samples
 * of the profile.
 */

#include "query_types.h"

/**
 * query_run() - answer a question
 * @d:		outlives @result
 * @result:	free with query_result_free()
 *
 * Return: 0, -ENOENT (no function is called so), -EINVAL (@q->grep is no regular
 * expression), -ENOSPC (too many groups) or -ENOMEM.
 */
int query_run(const struct prof_data *d, const struct query *q, struct query_result *result);
void query_result_free(struct query_result *result);

/* Keep @top rows: the first, or of a tree the largest. 0: all. 0 or -ENOMEM. */
int query_result_trim(struct query_result *result, const struct query *q, u32 top);
