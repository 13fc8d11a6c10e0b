/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Samples that wait until all earlier events are applied, sorted by time. */

#include "../../core/uw_frame.h"

#define PENDING_MAX_BYTES (64u << 20)

struct pending {
	struct uw_sample **v; /* each sample is truncated after its last frame */
	u32 n, cap;
	size_t bytes; /* of the samples */
	u64 n_dropped; /* samples dropped for lack of memory or time */
};

void pending_deinit(struct pending *p);

/* Keeps a copy. If out of memory, or above PENDING_MAX_BYTES, the sample is dropped and counted. */
void pending_add(struct pending *p, const struct uw_sample *s);

/* Sorts by time. Call this after samples were added. */
void pending_sort(struct pending *p);

/*
 * The number of samples before a time (CLOCK_MONOTONIC). The counted samples are the first ones in
 * v.
 */
u32 pending_before(const struct pending *p, u64 until_ns);

/* Frees a sample. Call pending_close_up() after freeing the last one. */
void pending_take(struct pending *p, u32 i);
void pending_close_up(struct pending *p);

/* Drops and counts all samples. */
void pending_give_up(struct pending *p);
