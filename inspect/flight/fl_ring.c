// SPDX-License-Identifier: BSD-2-Clause

#include "fl_ring.h"

#include <errno.h>
#include <string.h>

#include "../../core/flight.h"
#include "fl_slot.h"

_Thread_local struct fl_thread fl_thread;

int fl_ring_init(const void *memory, u64 len, struct fl_ring *out)
{
	u64 n = len / sizeof(struct flight_slot) - 1;

	if (len < sizeof(struct flight_ring) + sizeof(struct flight_slot) ||
	    len % sizeof(struct flight_slot) || n & (n - 1) || n > FL_MAX_SLOTS)
		return -EBADMSG;
	*out = (struct fl_ring){ memory, n };
	return 0;
}

static void skip(struct fl_cursor *c, u64 n)
{
	c->at += n;
	c->lost += n;
}

/* Decodes the @n slots of one entry. Words beyond these slots are ignored. */
static void take(struct fl_cursor *c, const struct flight_slot *slots, u32 n, struct fl_entry *e)
{
	u64 what = slots[0].word[1], when = slots[0].word[2];
	u32 room = FLIGHT_HEAD_WORDS + (n - 1) * FLIGHT_MORE_WORDS;

	*e = (struct fl_entry){ .index = c->at,
				.walk = (u32)(what >> 32),
				.took_ns = (u32)when,
				.detail = (u32)(when >> 32),
				.event = (u8)what,
				.phase = what >> 8 & 3,
				.n_slots = (u8)n,
				.n_words = (u8)(what >> 16) };
	if (e->n_words > room)
		e->n_words = (u8)room;
	for (u32 i = 0; i < e->n_words; i++) {
		u32 more = i - FLIGHT_HEAD_WORDS;

		e->d[i] = i < FLIGHT_HEAD_WORDS ? slots[0].word[3 + i]
						: slots[1 + more / FLIGHT_MORE_WORDS]
							  .word[1 + more % FLIGHT_MORE_WORDS];
	}
	c->at += n;
	c->read += n;
}

/*
 * A reserved entry that is still missing when two later entries exist will never arrive. The writer
 * publishes an entry before it reserves the next, but memory may show these two stores in either
 * order; the entry after the next is ordered by a fence. Therefore only two later entries of the
 * largest size prove that the entry was abandoned.
 */
static bool is_abandoned(const struct fl_cursor *c, u64 next)
{
	return c->is_final || next - c->at > 2ull * FLIGHT_MAX_SLOTS;
}

enum fl_got fl_ring_read(const struct fl_ring *r, struct fl_cursor *c, struct fl_entry *e)
{
	struct flight_slot slots[FLIGHT_MAX_SLOTS];
	u64 keep = r->n_slots, next, now;
	u32 n;

	for (u64 i = 0; i <= 2 * r->n_slots; i++) {
		next = flight_load_acquire(&r->ring->next);
		if (c->at >= next)
			return FL_END;
		if (next - c->at > r->n_slots) {
			skip(c, next - c->at - keep);
			keep = r->n_slots / 2; /* skip more, because the oldest slots are
						* overwritten meanwhile */
		}
		n = fl_group_copy(r->ring, r->n_slots - 1, c->at, slots);
		if (n && n <= next - c->at) {
			take(c, slots, n, e);
			return FL_ENTRY;
		}
		now = flight_load_acquire(&r->ring->next);
		if (now - c->at > r->n_slots)
			continue;
		if (flight_load(&r->ring->slots[c->at & (r->n_slots - 1)].word[0]) ==
			    (flight_seq(c->at) | 1) ||
		    is_abandoned(c, next))
			skip(c, 1);
		else
			return FL_IN_FLIGHT;
	}
	return FL_IN_FLIGHT;
}

void fl_ring_copy(const struct fl_ring *r, struct flight_ring *out)
{
	const u64 *from = (const u64 *)r->ring;
	u64 *to = (u64 *)out;

	to[0] = flight_load_acquire(&from[0]);
	for (u32 i = 1; i < sizeof(*out) / sizeof(u64); i++)
		to[i] = flight_load(&from[i]);
	for (u64 i = 0; i < r->n_slots; i++)
		if (!fl_slot_copy(&r->ring->slots[i], &out->slots[i]))
			memset(&out->slots[i], 0, sizeof(out->slots[i]));
}
