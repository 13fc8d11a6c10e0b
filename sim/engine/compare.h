/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Compares the walks of two engines over the same target byte by byte. */

#include "engine.h"

enum sim_part { SIM_PART_HEADER, SIM_PART_FRAMES, SIM_PART_READS, SIM_N_PARTS };

struct sim_difference {
	u64 n_bytes; /* number of differing bytes, including missing frames and reads; 0: equal */
	u64 n_bytes_in[SIM_N_PARTS];
	u32 n_compared; /* bytes */
	u32 frame_idx, read_idx; /* index of the first item that differs; if no item differs, the
				  * number of items */
};

/**
 * sim_walk_compare() - compare the frames, the status and the log of reads
 * @out:	always written
 *
 * Return: true if nothing differs.
 */
bool sim_walk_compare(const struct sim_walk *a, const struct sim_walk *b,
		      struct sim_difference *out);

/**
 * sim_difference_words() - describe the first difference in one line
 * @len:	384 is enough
 */
void sim_difference_words(const struct sim_difference *d, const struct sim_walk *a,
			  const struct sim_walk *b, char *out, size_t len);
