/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What ports that have a struct sim_target do with its tables. */

#include "../target.h"

/* The process's mappings are sorted and do not overlap. */
UW_INLINE const struct uw_mapping *sim_find_mapping(const struct sim_target *t, u64 extent, u64 pc)
{
	const struct uw_mapping *m = t->mappings + (extent >> 32);
	u32 lo = 0, hi = (u32)extent;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (pc < m[mid].start_addr)
			hi = mid;
		else if (pc >= m[mid].end_addr)
			lo = mid + 1;
		else
			return &m[mid];
	}
	return NULL;
}

UW_INLINE const struct v8_info *sim_find_v8(const struct sim_target *t, u32 info_idx)
{
	return info_idx < t->n_v8_builds && t->v8_builds[info_idx].shared_off
		       ? &t->v8_builds[info_idx]
		       : NULL;
}
