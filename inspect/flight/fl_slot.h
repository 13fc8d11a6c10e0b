/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Copies one entry of a ring that is being written. seq is read before the copy and again after it.
 * If both values are equal, all of the copy is from one entry, because the writer clears seq before
 * it changes anything else, and no value of seq occurs twice.
 *
 * The loads are those of <flight_load.h>, so a model checker can run these functions against
 * every order in which memory may show the writer's stores.
 */

#include "../../core/flight_ring.h"

#include <flight_load.h>

/**
 * fl_slot_copy() - copy one slot
 * @slot:	may change at any time
 * @out:	may be written in part on failure
 *
 * Return: seq of the entry in @out, or 0: the slot is empty or being written.
 */
static inline u64 fl_slot_copy(const struct flight_slot *slot, struct flight_slot *out)
{
	u64 seq = flight_load_acquire(&slot->word[0]);

	if (seq == 0 || seq == FLIGHT_BUSY)
		return 0;
	out->word[0] = seq;
	for (int i = 1; i < FLIGHT_SLOT_WORDS; i++)
		out->word[i] = flight_load(&slot->word[i]);
	flight_load_fence();
	return flight_load(&slot->word[0]) == seq ? seq : 0;
}

/**
 * fl_group_copy() - copy a whole entry
 * @ring:	may change at any time
 * @mask:	number of slots in @ring, minus 1
 * @at:		index of the entry's first slot
 * @out:	room for FLIGHT_MAX_SLOTS slots
 *
 * Return: number of slots of the entry; 0: the entry is missing or incomplete.
 */
static inline u32 fl_group_copy(const struct flight_ring *ring, u64 mask, u64 at,
				struct flight_slot *out)
{
	u32 n;

	if (fl_slot_copy(&ring->slots[at & mask], &out[0]) != flight_seq(at))
		return 0;
	n = flight_what_slots(out[0].word[1]);
	for (u32 i = 1; i < n; i++)
		if (fl_slot_copy(&ring->slots[(at + i) & mask], &out[i]) !=
		    (flight_seq(at + i) | 1))
			return 0;
	return n;
}
