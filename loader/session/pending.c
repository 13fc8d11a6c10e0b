// SPDX-License-Identifier: BSD-2-Clause

#include "pending.h"

#include "../../inspect/util/array.h"

#include <stdlib.h>
#include <string.h>

void pending_deinit(struct pending *p)
{
	for (u32 i = 0; i < p->n; i++)
		free(p->v[i]);
	free(p->v);
	*p = (struct pending){ 0 };
}

static size_t len_of(const struct uw_sample *s)
{
	return offsetof(struct uw_sample, frames) + s->n_frames * sizeof(*s->frames);
}

void pending_add(struct pending *p, const struct uw_sample *s)
{
	size_t len = len_of(s);
	bool fits = len <= PENDING_MAX_BYTES - p->bytes && !array_reserve(p->v, p->cap, p->n + 1);
	struct uw_sample *copy = fits ? malloc(len) : NULL;

	if (!copy) {
		p->n_dropped++;
		return;
	}
	memcpy(copy, s, len);
	p->bytes += len;
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

void pending_take(struct pending *p, u32 i)
{
	p->bytes -= len_of(p->v[i]);
	free(p->v[i]);
	p->v[i] = NULL;
}

void pending_close_up(struct pending *p)
{
	u32 n = 0;

	for (u32 i = 0; i < p->n; i++)
		if (p->v[i])
			p->v[n++] = p->v[i];
	p->n = n;
}

void pending_give_up(struct pending *p)
{
	p->n_dropped += p->n;
	for (u32 i = 0; i < p->n; i++)
		pending_take(p, i);
	pending_close_up(p);
}
