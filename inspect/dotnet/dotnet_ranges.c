/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Lists all range sections for the walk's tables, each once, sorted by address.
 *
 * A code heap's nibble map begins with the page in which the heap's section starts.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "dotnet_code.h"
#include "dotnet_range.h"

#define MAX_RANGES 16384

struct list {
	struct dotnet_runtime *rt;
	struct dotnet_range *v;
	u32 n, room;
};

static int take_heap(struct list *l, const struct dotnet_section *s, struct dotnet_range *r)
{
	struct dotnet_heap heap;
	int err = dotnet_heap_read(l->rt, s->heap, &heap);

	if (err)
		return err;
	r->kind = DOTNET_RANGE_JIT;
	r->start_addr = heap.map_base;
	r->end_addr = s->end_addr; /* the heap's own end is that of its used part */
	r->nibbles_addr = heap.header_map;
	r->info_idx = l->rt->l->nibbles_are_constant_time ? DOTNET_NIBBLES_CONSTANT
							  : DOTNET_NIBBLES_LINEAR;
	return 0;
}

static int take(struct list *l, const struct dotnet_section *s, struct dotnet_range *r)
{
	*r = (struct dotnet_range){ DOTNET_RANGE_R2R, s->start_addr, s->end_addr, 0, 0 };
	if (s->kind == DOTNET_SECTION_HEAP)
		return take_heap(l, s, r);
	if (s->kind == DOTNET_SECTION_R2R)
		return 0;
	r->kind = DOTNET_RANGE_STUBS;
	return dotnet_read(l->rt, s->heap + l->rt->l->range_list_kind, &r->info_idx, 4);
}

static int add(const struct dotnet_section *s, void *data)
{
	struct list *l = data;
	struct dotnet_range r;

	if (take(l, s, &r))
		return 0;
	/* The index lists a section in each of many consecutive leaves. */
	if (l->n && l->v[l->n - 1].start_addr == r.start_addr)
		return 0;
	if (l->n == MAX_RANGES)
		return -E2BIG;
	if (l->n == l->room) {
		u32 room = l->room ? 2 * l->room : 64;
		struct dotnet_range *v = reallocarray(l->v, room, sizeof(*v));

		if (!v)
			return -ENOMEM;
		l->v = v;
		l->room = room;
	}
	l->v[l->n++] = r;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct dotnet_range *x = a, *y = b;

	return (x->start_addr > y->start_addr) - (x->start_addr < y->start_addr);
}

/* Keeps the first of two overlapping ranges, because if only one of them is right, the first is. */
static u32 without_overlaps(struct dotnet_range *v, u32 n)
{
	u32 kept = 0;

	for (u32 i = 0; i < n; i++)
		if (!kept || v[i].start_addr >= v[kept - 1].end_addr)
			v[kept++] = v[i];
	return kept;
}

bool dotnet_is_code_file(const char *path)
{
	/*
	 * src/coreclr/minipal/Unix/doublemapping.cpp, 7.0 to 10.0; " (deleted)" follows a memfd's
	 * name
	 */
	static const char name[] = "/memfd:doublemapper";

	return !strncmp(path, name, sizeof(name) - 1);
}

int dotnet_ranges_get(struct dotnet_runtime *rt, struct dotnet_range **v, u32 *n)
{
	struct list l = { .rt = rt };
	int err = dotnet_sections_each(rt, add, &l);

	if (err && err != -E2BIG && err != -ELOOP) {
		free(l.v);
		return err;
	}
	if (l.n)
		qsort(l.v, l.n, sizeof(*l.v), by_start);
	*n = without_overlaps(l.v, l.n);
	*v = l.v;
	return 0;
}

int dotnet_ranges_overlay(const struct dotnet_range *v, u32 n, struct map_list *l)
{
	static const u8 kinds[] = { [DOTNET_RANGE_JIT] = UW_MAP_DOTNET_JIT,
				    [DOTNET_RANGE_R2R] = UW_MAP_DOTNET_R2R,
				    [DOTNET_RANGE_STUBS] = UW_MAP_DOTNET_STUBS };
	_cleanup_free_ struct uw_mapping *over = calloc(n + 1ul, sizeof(*over));

	if (!over)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++)
		over[i] = (struct uw_mapping){ .start_addr = v[i].start_addr,
					       .end_addr = v[i].end_addr,
					       .file_off = v[i].nibbles_addr,
					       .kind = kinds[v[i].kind],
					       .info_idx = (u16)v[i].info_idx };
	return map_list_overlay(l, over, n);
}
