/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Samples that wait for the events before them, in the order of time. */

#include "../../core/uw_frame.h"

#define PENDING_MAX_BYTES (64u << 20)

struct pending {
	struct uw_sample **v; /* each as long as its frames */
	u32 n, cap;
	size_t bytes; /* of the samples */
	u64 n_dropped; /* for want of room, or of time */
};

void pending_deinit(struct pending *p);

/* Keeps a copy. Without memory, or above PENDING_MAX_BYTES, the sample is dropped, and counted. */
void pending_add(struct pending *p, const struct uw_sample *s);

/* Call once after adding: sorts. */
void pending_sort(struct pending *p);

/* How many samples are older than a time (CLOCK_MONOTONIC); they come first. */
u32 pending_before(const struct pending *p, u64 until_ns);

/* Frees one; then call pending_close_up() before anything else. */
void pending_take(struct pending *p, u32 i);
void pending_close_up(struct pending *p);

/* Frees all that still wait, and counts them. */
void pending_give_up(struct pending *p);
