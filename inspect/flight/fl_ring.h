/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reads a live ring, whose writer never waits for readers, or the copy of a ring in a dump. The
 * cursor is an index, so the number of missed slots is exact:
 *
 *	slots ever written = cursor's read + lost + slots still ahead of it
 *
 * Nothing in the ring is trusted, because its writer may be hostile or dead.
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
	bool is_final; /* the writer is gone, so missing entries never arrive */
};

struct fl_entry {
	u64 index;
	u32 walk;
	u32 took_ns; /* FLIGHT_NO_TIME: not measured */
	u32 detail;
	u8 event; /* enum flight_event, or a value of a newer writer */
	u8 phase;
	u8 n_slots;
	u8 n_words; /* at most FLIGHT_MAX_WORDS */
	u64 d[FLIGHT_MAX_WORDS]; /* zero from n_words on */
};

/**
 * fl_ring_init() - open a ring in memory
 * @memory:	aligned to 8
 * @len:	length of the ring's header and slots together
 * @out:	borrows @memory
 *
 * Return: 0, or -EBADMSG if no ring can have this length.
 */
int fl_ring_init(const void *memory, u64 len, struct fl_ring *out);

enum fl_got {
	FL_END, /* no further entry for now */
	FL_ENTRY,
	FL_IN_FLIGHT, /* the next entry is being written, or overwritten too fast */
};

/**
 * fl_ring_read() - read the next entry
 * @c:		zero it before the first call
 * @e:		written only if FL_ENTRY is returned
 *
 * Returns after a bounded number of loads. A slot that the writer left unfinished is skipped and
 * counted as lost.
 */
enum fl_got fl_ring_read(const struct fl_ring *r, struct fl_cursor *c, struct fl_entry *e);

/**
 * fl_ring_copy() - copy a live ring
 * @out:	receives the copy; has the same length. Slots that are being written are empty
 *		in the copy
 */
void fl_ring_copy(const struct fl_ring *r, struct flight_ring *out);
