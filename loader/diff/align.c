/* SPDX-License-Identifier: BSD-2-Clause */
#include "align.h"

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"

#define MAX_STEPS (16u << 20)
#define COLUMNS 1024 /* a line counts more than all columns */

static u64 difference(u32 a, u32 b)
{
	return a < b ? b - a : a - b;
}

static u64 distance(const struct align_place *a, const struct align_place *b)
{
	u64 columns = difference(a->column, b->column);

	return difference(a->line, b->line) * COLUMNS + (columns < COLUMNS ? columns : COLUMNS - 1);
}

/* Too many places for the search: matches the first ones in order. */
static void match_in_order(u32 n, u32 *match)
{
	for (u32 i = 0; i < n; i++)
		match[i] = i;
}

/*
 * least[k] is the smallest sum for the first i places of @shorter, which match some of the first
 * i + k places of @longer. takes[i * n_skips + k]: place i matches place i + k itself.
 */
int align(const struct align_place *shorter, u32 n_shorter, const struct align_place *longer,
	  u32 n_longer, u32 *match)
{
	u32 n_skips = n_longer - n_shorter + 1, k = n_skips - 1;
	_cleanup_free_ u64 *least = NULL;
	_cleanup_free_ bool *takes = NULL;

	if ((u64)n_shorter * n_skips > MAX_STEPS) {
		match_in_order(n_shorter, match);
		return 0;
	}
	least = calloc(n_skips, sizeof(*least));
	takes = calloc((size_t)n_shorter * n_skips + 1, sizeof(*takes));
	if (!least || !takes)
		return -ENOMEM;
	for (u32 i = 0; i < n_shorter; i++) {
		for (u32 skip = 0; skip < n_skips; skip++) {
			u64 sum = least[skip] + distance(&shorter[i], &longer[i + skip]);
			bool is_taken = !skip || sum < least[skip - 1];

			takes[(size_t)i * n_skips + skip] = is_taken;
			least[skip] = is_taken ? sum : least[skip - 1];
		}
	}
	for (u32 i = n_shorter; i-- > 0; match[i] = i + k)
		while (!takes[(size_t)i * n_skips + k])
			k--;
	return 0;
}
