/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Samples that wait for the events before them, in the order of time. */

#include "../../core/uw_frame.h"

struct pending {
	struct uw_sample **v; /* each as long as its frames */
	u32 n, cap;
	u64 n_dropped; /* for want of memory */
};

void pending_deinit(struct pending *p);

/* Keeps a copy. Without memory the sample is dropped, and counted. */
void pending_add(struct pending *p, const struct uw_sample *s);

/* Call once after adding: sorts. */
void pending_sort(struct pending *p);

/* How many samples are older than a time (CLOCK_MONOTONIC); they come first. */
u32 pending_before(const struct pending *p, u64 until_ns);

/* Lets go of the first @n. */
void pending_drop(struct pending *p, u32 n);
