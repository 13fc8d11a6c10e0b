// SPDX-License-Identifier: BSD-2-Clause

#include "map_list.h"

#include "../util/array.h"

#include <errno.h>
#include <stdlib.h>

int map_list_push(struct map_list *l, const struct uw_mapping *m)
{
	if (m->start_addr >= m->end_addr || m->end_addr > UW_MAX_MAPPING_END)
		return 0; /* empty, or [vsyscall] */
	if (array_reserve(l->v, l->cap, l->n + 1))
		return -ENOMEM;
	l->v[l->n++] = *m;
	return 0;
}

/* The mappings under an overlay that are not in the result yet. */
struct below {
	struct uw_mapping *v;
	u32 n;
};

/*
 * Moves the part of the first mapping below @end_addr to @out, with kind @kind. If @out is NULL,
 * discards that part.
 */
static int take(struct below *b, u64 end_addr, u8 kind, struct map_list *out)
{
	struct uw_mapping part = *b->v;

	if (end_addr < part.end_addr) {
		part.end_addr = end_addr;
		b->v->start_addr = end_addr;
		b->v->file_off += end_addr - part.start_addr;
	} else {
		b->v++;
		b->n--;
	}
	part.kind = kind;
	return out ? map_list_push(out, &part) : 0;
}

static int lay(struct below *b, const struct uw_mapping *over, struct map_list *out)
{
	bool replaces = over->kind != UW_MAP_DOTNET_R2R;
	int err = 0;

	while (!err && b->n && b->v->start_addr < over->start_addr)
		err = take(b, over->start_addr, b->v->kind, out);
	if (!err && replaces)
		err = map_list_push(out, over);
	while (!err && b->n && b->v->start_addr < over->end_addr)
		err = take(b, over->end_addr, over->kind, replaces ? NULL : out);
	return err;
}

int map_list_overlay(struct map_list *l, const struct uw_mapping *over, u32 n)
{
	struct below b = { l->v, l->n };
	struct map_list out = { 0 };
	int err = 0;

	for (u32 i = 0; !err && i < n; i++)
		err = lay(&b, &over[i], &out);
	while (!err && b.n)
		err = take(&b, b.v->end_addr, b.v->kind, &out);
	if (err) {
		free(out.v);
		return err;
	}
	free(l->v);
	*l = out;
	return 0;
}
