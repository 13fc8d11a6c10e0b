/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Looks up entries in the tables of a struct sim_target, for ports. */

#include "../../core/dotnet/dotnet_info.h"
#include "../case/target.h"

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

/* The pages are sorted. The search within a page is the same as in bpf/port. */
UW_INLINE const struct uw_row_page *sim_find_row_page(const struct sim_target *t, u32 module,
						      u32 page)
{
	u64 key = (u64)module << 32 | page;
	u32 lo = 0, hi = t->n_row_pages;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		const struct uw_row_page *p = &t->row_pages[mid];
		u64 at = (u64)p->module << 32 | p->page;

		if (at == key)
			return p;
		if (at < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

UW_INLINE const struct uw_rule *sim_find_rule(const struct sim_target *t, u32 module, u64 file_off)
{
	const struct uw_row_page *p =
		sim_find_row_page(t, module, (u32)(file_off / UW_ROW_PAGE_LEN));
	u32 off = file_off & (UW_ROW_PAGE_LEN - 1), at = 0;
	const u32 *rows;

	if (!p)
		return NULL;
	rows = t->rows + p->first;
	for (u32 step = uw_row_stride(p->n); step; step >>= 1)
		if (at + step < p->n && rows[at + step] >> UW_ROW_OFF_SHIFT <= off)
			at += step;
	return &t->rules[rows[at] & (UW_MAX_RULES - 1)];
}

UW_INLINE const struct v8_info *sim_find_v8(const struct sim_target *t, u32 info_idx)
{
	return info_idx < t->n_v8_builds && t->v8_builds[info_idx].shared_off
		       ? &t->v8_builds[info_idx]
		       : NULL;
}

UW_INLINE const struct dotnet_await *sim_find_await(const struct sim_target *t, u64 of, u64 key)
{
	for (u32 i = 0; i < t->n_awaits; i++)
		if (t->awaits[i].process_key == of && t->awaits[i].key == key)
			return &t->awaits[i];
	return NULL;
}
