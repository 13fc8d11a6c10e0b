// SPDX-License-Identifier: BSD-2-Clause

#include "anon_stubs.h"

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/search.h"
#include "../process/maps.h"

#define RESERVED_LEN 0x7fff0000ull
#define MAX_BEFORE_LEN (1ull << 20) /* maximum length of the memory before the first image */

/* The address range that the runtime's allocator has reserved; both 0: not known. */
struct reserved {
	u64 start_addr, end_addr;
};

static struct reserved reserved_by(const struct dotnet_range *v, u32 n)
{
	struct reserved r = { 0 };

	for (u32 i = 0; i < n; i++)
		if (v[i].kind == DOTNET_RANGE_JIT)
			r.end_addr = v[i].start_addr;
	for (u32 i = 0; i < n && r.end_addr && !r.start_addr; i++)
		if (r.end_addr - v[i].start_addr < RESERVED_LEN)
			r.start_addr = v[i].start_addr - MAX_BEFORE_LEN;
	r.end_addr = r.end_addr ? r.start_addr + RESERVED_LEN - MAX_BEFORE_LEN : 0;
	return r;
}

static int take(const struct maps_entry *e, void *data)
{
	const struct uw_mapping m = { .start_addr = e->start_addr,
				      .end_addr = e->end_addr,
				      .kind = UW_MAP_DOTNET_STUBS,
				      .info_idx = DOTNET_STUB_HELPER };

	return e->path_len ? 0 : map_list_push(data, &m);
}

static bool was_seen(const struct anon_stubs *a, const struct uw_mapping *m)
{
	const struct map_list *seen = &a->seen;
	size_t at = search_first(seen->n, i, seen->v[i].end_addr < m->end_addr);

	return at < seen->n && seen->v[at].start_addr <= m->start_addr;
}

static int lay_seen(const struct anon_stubs *a, const struct map_list *now, struct reserved r,
		    struct map_list *l)
{
	_cleanup_free_ struct uw_mapping *over = calloc(now->n + 1ul, sizeof(*over));
	u32 n = 0;

	if (!over)
		return -ENOMEM;
	for (u32 i = 0; i < now->n; i++)
		if (now->v[i].start_addr >= r.start_addr && now->v[i].end_addr <= r.end_addr &&
		    was_seen(a, &now->v[i]))
			over[n++] = now->v[i];
	return map_list_overlay(l, over, n);
}

int anon_stubs_place(struct anon_stubs *a, u32 pid, const struct dotnet_range *v, u32 n,
		     struct map_list *l)
{
	struct map_list now = { 0 };
	int err = maps_each_exec(pid, take, &now);

	if (err != -ENOMEM)
		err = lay_seen(a, &now, reserved_by(v, n), l);
	anon_stubs_deinit(a);
	a->seen = now;
	return err;
}

void anon_stubs_deinit(struct anon_stubs *a)
{
	free(a->seen.v);
	a->seen = (struct map_list){ 0 };
}
