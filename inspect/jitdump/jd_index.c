// SPDX-License-Identifier: BSD-2-Clause

/*
 * Live ranges never overlap, so a comparison of ranges by "below", "above" and "touches" is an
 * order, and a search for a range finds a live range that touches it.
 */

#include "jd_index.h"

#include "../util/array.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a node of glibc's tree and of the entries in the lists. */
#define OVERHEAD 64

static size_t size_of(const struct jd_code *c)
{
	return sizeof(*c) + strlen(c->name) + 1 + OVERHEAD;
}

static int compare(const void *a, const void *b)
{
	const struct jd_code *x = a, *y = b;

	if (x->addr + x->len <= y->addr)
		return -1;
	return x->addr >= y->addr + y->len;
}

static void keep(void *node)
{
	(void)node; /* owned by jd_index.all */
}

void jd_index_deinit(struct jd_index *x)
{
	tdestroy(x->live, keep);
	for (size_t i = 0; i < x->n; i++)
		free(x->all[i]);
	free(x->all);
	free(x->closed);
	*x = (struct jd_index){ 0 };
}

static int push(struct jd_code ***list, size_t *n, size_t *room, struct jd_code *c)
{
	if (array_reserve(*list, *room, *n + 1))
		return -ENOMEM;
	(*list)[(*n)++] = c;
	return 0;
}

static struct jd_code *touching(const struct jd_index *x, u64 addr, u64 len)
{
	struct jd_code key = { .addr = addr, .len = len };
	struct jd_code **node = len ? tfind(&key, &x->live, compare) : NULL;

	return node ? *node : NULL;
}

static int end(struct jd_index *x, struct jd_code *c, u64 time)
{
	if (push(&x->closed, &x->n_closed, &x->closed_room, c))
		return -ENOMEM;
	c->until = time;
	tdelete(c, &x->live, compare);
	return 0;
}

int jd_index_end(struct jd_index *x, u64 addr, u64 len, u64 time)
{
	struct jd_code *c;

	while ((c = touching(x, addr, len)))
		if (end(x, c, time))
			return -ENOMEM;
	return 0;
}

int jd_index_add(struct jd_index *x, const struct jd_code *c)
{
	size_t name_len = strlen(c->name) + 1;
	struct jd_code *own = malloc(sizeof(*own) + name_len);

	if (!own)
		return -ENOMEM;
	*own = *c;
	own->until = JD_ALIVE;
	own->name = memcpy(own + 1, c->name, name_len);
	if (push(&x->all, &x->n, &x->room, own)) {
		free(own);
		return -ENOMEM;
	}
	x->n_bytes += size_of(own);
	if (jd_index_end(x, c->addr, c->len, c->from))
		return -ENOMEM;
	return c->len && !tsearch(own, &x->live, compare) ? -ENOMEM : 0;
}

int jd_index_move(struct jd_index *x, u64 addr, u64 to_addr, u64 time)
{
	struct jd_code *old = touching(x, addr, 1), moved;

	if (!old || old->addr != addr)
		return -ENOENT;
	moved = *old;
	moved.addr = to_addr;
	moved.from = time;
	if (end(x, old, time))
		return -ENOMEM;
	if (to_addr + moved.len < to_addr)
		return -ENOENT; /* the MOVE record was checked with its own length, which may
				 * differ from moved.len */
	return jd_index_add(x, &moved);
}

const struct jd_code *jd_index_live(const struct jd_index *x, u64 addr, u64 len)
{
	return touching(x, addr, len);
}

const struct jd_code *jd_index_find(const struct jd_index *x, u64 addr, u64 time)
{
	const struct jd_code *c = touching(x, addr, 1);

	if (c && c->from <= time)
		return c;
	for (size_t i = x->n_closed; i-- > 0 && x->closed[i]->until > time;) {
		c = x->closed[i];
		if (addr >= c->addr && addr - c->addr < c->len && c->from <= time)
			return c;
	}
	return NULL;
}

void jd_index_drop(struct jd_index *x, u64 time)
{
	size_t n = 0, n_closed = 0;

	for (size_t i = 0; i < x->n_closed; i++)
		if (x->closed[i]->until >= time)
			x->closed[n_closed++] = x->closed[i];
	x->n_closed = n_closed;
	for (size_t i = 0; i < x->n; i++) {
		if (x->all[i]->until >= time && x->all[i]->len) {
			x->all[n++] = x->all[i];
			continue;
		}
		x->n_bytes -= size_of(x->all[i]);
		free(x->all[i]);
	}
	x->n = n;
}
