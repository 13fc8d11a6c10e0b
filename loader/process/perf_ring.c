/* SPDX-License-Identifier: BSD-2-Clause */

#include "perf_ring.h"

#include <string.h>

static void copy_out(const struct perf_ring *r, u64 at, void *dst, size_t len)
{
	size_t pos = at & (r->size - 1);
	size_t first = r->size - pos < len ? r->size - pos : len;

	memcpy(dst, r->data + pos, first);
	memcpy((u8 *)dst + first, r->data, len - first);
}

const struct perf_event_header *perf_ring_peek(struct perf_ring *r)
{
	struct perf_event_header h;

	if (r->peeked)
		return (const struct perf_event_header *)r->scratch;

	for (;;) {
		u64 head = __atomic_load_n(r->head, __ATOMIC_ACQUIRE);
		u64 tail = *r->tail, unread = head - tail;

		if (!unread)
			return NULL;
		if (unread > r->size || unread < sizeof(h))
			goto resync;
		copy_out(r, tail, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > unread)
			goto resync;
		if (h.size <= sizeof(r->scratch)) {
			copy_out(r, tail, r->scratch, h.size);
			r->peeked = h.size;
			return (const struct perf_event_header *)r->scratch;
		}
		r->n_bad++;
		__atomic_store_n(r->tail, tail + h.size, __ATOMIC_RELEASE);
		continue;
	resync:
		r->n_bad++;
		__atomic_store_n(r->tail, head, __ATOMIC_RELEASE);
	}
}

void perf_ring_consume(struct perf_ring *r)
{
	if (!r->peeked)
		return;
	__atomic_store_n(r->tail, *r->tail + r->peeked, __ATOMIC_RELEASE);
	r->peeked = 0;
}
