/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Runs the production program on the page faults of one thread, and keeps the sample of one. */

#include <sys/types.h>

#include "../../core/flight_ring.h"
#include "../../bpf/tables.h"
#include "../../core/uw_state.h"

#include UNSPOOL_SKEL

struct ring_buffer;
struct bpf_link;

struct sampler {
	struct unspool_bpf *skel;
	struct ring_buffer *ring;
	struct bpf_link *link;
	u64 sp, fp; /* of the expected fault; the thread has other faults, too */
	struct uw_sample last; /* of the first fault there */
	int n; /* count since sampler_arm() */
};

/**
 * sampler_open() - load the program, and run it on each page fault
 * @pid:	of this thread; 0: the caller
 * @va_mask:	for all of its walks
 * @n_row_pairs:	room for rows
 * @out:	ends with sampler_close(), also after a failure
 *
 * Return: 0 or a negative errno.
 */
int sampler_open(pid_t pid, u64 va_mask, u32 n_row_pairs, struct sampler *out);

/* Expect a fault with these registers. */
void sampler_arm(struct sampler *s, u64 sp, u64 fp);

/* Return: the number of faults, the first of which is in @s->last; or a negative errno. */
int sampler_take(struct sampler *s);

/**
 * sampler_set_process() - set the faulting process and its mappings
 * @extent:	0: it has no tables
 *
 * Call it after a first sample, which identifies the process.
 */
void sampler_set_process(struct sampler *s, u64 extent);
void sampler_close(struct sampler *s);
