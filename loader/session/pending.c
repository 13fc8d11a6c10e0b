// SPDX-License-Identifier: BSD-2-Clause

#include "pending.h"

#include <stdlib.h>
#include <string.h>

void pending_deinit(struct pending *p)
{
	pending_drop(p, p->n);
	free(p->v);
	p->v = NULL;
	p->cap = 0;
}

static bool make_room(struct pending *p)
{
	u32 cap = p->cap ? p->cap * 2 : 256;
	struct uw_sample **v;

	if (p->n < p->cap)
		return true;
	v = reallocarray(p->v, cap, sizeof(*v));
	if (!v)
		return false;
	p->v = v;
	p->cap = cap;
	return true;
}

void pending_add(struct pending *p, const struct uw_sample *s)
{
	size_t len = offsetof(struct uw_sample, frames) + s->n_frames * sizeof(*s->frames);
	struct uw_sample *copy = make_room(p) ? malloc(len) : NULL;

	if (!copy) {
		p->n_dropped++;
		return;
	}
	memcpy(copy, s, len);
	p->v[p->n++] = copy;
}

static int by_time(const void *a, const void *b)
{
	u64 x = (*(struct uw_sample *const *)a)->time_ns,
	    y = (*(struct uw_sample *const *)b)->time_ns;

	return (x > y) - (x < y);
}

void pending_sort(struct pending *p)
{
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_time);
}

u32 pending_before(const struct pending *p, u64 until_ns)
{
	u32 n = 0;

	while (n < p->n && p->v[n]->time_ns < until_ns)
		n++;
	return n;
}

void pending_drop(struct pending *p, u32 n)
{
	for (u32 i = 0; i < n; i++)
		free(p->v[i]);
	if (p->n > n)
		memmove(p->v, p->v + n, (p->n - n) * sizeof(*p->v));
	p->n -= n;
}
