/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A ring in ordinary memory, to which this thread writes. */

#include <stdlib.h>

#include "../../core/flight.h"
#include "../../inspect/flight/fl_ring.h"

static struct flight_control control;

static inline struct fl_ring ring_new(u64 n_slots)
{
	u64 len = sizeof(struct flight_ring) + n_slots * sizeof(struct flight_slot);
	struct flight_ring *r = aligned_alloc(64, len);
	struct fl_ring out;

	if (!r)
		abort();
	for (u64 i = 0; i < len / 8; i++)
		((u64 *)r)[i] = 0;
	if (fl_ring_init(r, len, &out))
		abort();
	control = (struct flight_control){ .mask = ~0ull };
	fl_thread = (struct fl_thread){ &control, r, n_slots - 1 };
	return out;
}

static inline void ring_free(struct fl_ring *r)
{
	free((void *)r->ring);
	fl_thread = (struct fl_thread){ 0 };
}

/* Returns word @i of entry number @number; the reader checks the words by it. */
static inline u64 known_word(u64 number, u32 i)
{
	return (number + 1) * 0x9e3779b97f4a7c15ull + i;
}

static inline void put_known(struct flight_ring *r, u64 number, u32 n_words)
{
	u64 d[FLIGHT_MAX_WORDS];

	for (u32 i = 0; i < n_words; i++)
		d[i] = known_word(number, i);
	flight_put(r, FLIGHT_STEP, number & 0xffffffff, d, n_words);
}

/* Begins an entry by reserving slots for it. */
static inline u64 reserve(struct flight_ring *r, u32 n_slots)
{
	u64 n = r->next;

	flight_reserve(r, n, flight_slot(r, n)->word, n_slots);
	return n;
}
