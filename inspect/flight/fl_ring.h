/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reads a ring: a live one, which never waits for its readers, or the copy of one in a
 * dump. A cursor knows its place by index, so what it missed is known to the slot:
 *
 *	slots ever written = cursor's read + lost + what is still ahead of it
 *
 * Nothing in the ring is believed; whoever wrote it may be hostile, or gone.
 */

#include "../../core/flight_ring.h"

#define FL_MAX_SLOTS (1ull << 24)

struct fl_ring {
	const struct flight_ring *ring;
	u64 n_slots; /* a power of two */
};

struct fl_cursor {
	u64 at; /* index of the next slot */
	u64 read, lost; /* slots */
	bool is_final; /* nobody writes any more: what is not there now never comes */
};

struct fl_entry {
	u64 index;
	u32 walk;
	u32 took_ns; /* FLIGHT_NO_TIME: not measured */
	u32 detail;
	u8 event; /* enum flight_event, or one that a newer writer has */
	u8 phase;
	u8 n_slots;
	u8 n_words; /* at most FLIGHT_MAX_WORDS */
	u64 d[FLIGHT_MAX_WORDS]; /* zero from n_words on */
};

/**
 * fl_ring_init() - the ring in some memory
 * @memory:	aligned to 8
 * @len:	header and slots, nothing else
 * @out:	borrows @memory
 *
 * Return: 0, or -EBADMSG: no ring has this length.
 */
int fl_ring_init(const void *memory, u64 len, struct fl_ring *out);

enum fl_got {
	FL_END, /* nothing more for now */
	FL_ENTRY,
	FL_IN_FLIGHT, /* the next one is being written, or faster than it can be read */
};

/**
 * fl_ring_read() - the next entry
 * @c:		start with a zeroed one
 * @e:		written with FL_ENTRY
 *
 * Returns after a bounded number of loads. A slot that its writer left unfinished is
 * passed over and counted as lost.
 */
enum fl_got fl_ring_read(const struct fl_ring *r, struct fl_cursor *c, struct fl_entry *e);

/**
 * fl_ring_copy() - all of a live ring, as of now
 * @out:	of the same length; slots that are being written stay unused in it
 */
void fl_ring_copy(const struct fl_ring *r, struct flight_ring *out);
