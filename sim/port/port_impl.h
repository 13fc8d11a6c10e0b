/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The port of native builds. The core's reads carry no context, so the target
 * of the walk that a thread makes is the thread's own variable.
 */

#include "../target.h"

extern _Thread_local const struct sim_target *sim_port_target;

UW_INLINE long port_read_user(void *dst, u32 len, u64 addr)
{
	return sim_mem_read(sim_port_target->mem, dst, len, addr);
}

UW_INLINE u64 port_index(u64 n, u64 mask)
{
	return n & mask;
}

/* The process's mappings are sorted and do not overlap. */
UW_INLINE const struct uw_mapping *port_mapping(const struct uw_state *u, u64 pc)
{
	const struct uw_mapping *m = sim_port_target->mappings + (u->extent >> 32);
	u32 lo = 0, hi = (u32)u->extent;

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

UW_INLINE const struct v8_info *port_info_v8(u32 info_idx)
{
	const struct sim_target *t = sim_port_target;

	return info_idx < t->n_v8_builds && t->v8_builds[info_idx].shared_off
		       ? &t->v8_builds[info_idx]
		       : NULL;
}
