/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Runs the production program on the page faults of one thread, and keeps one sample. */

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
	u64 sp, fp; /* registers at the expected fault; the thread has other faults, too */
	struct uw_sample last; /* sample of the first fault with sp and fp */
	int n; /* faults with sp and fp since sampler_arm() */
};

/**
 * sampler_open() - load the program, and run it on each page fault
 * @pid:	the thread to sample; 0 is the calling thread
 * @va_mask:	address mask for all walks
 * @n_row_pairs:	capacity of the map of rows, in pairs
 * @out:	the caller closes it with sampler_close(), even after a failure
 *
 * Return: 0 or a negative errno.
 */
int sampler_open(pid_t pid, u64 va_mask, u32 n_row_pairs, struct sampler *out);

/* Makes @s expect a fault with these registers. */
void sampler_arm(struct sampler *s, u64 sp, u64 fp);

/*
 * Returns the number of expected faults, or a negative errno. @s->last is the
 * sample of the first of these faults.
 */
int sampler_take(struct sampler *s);

/**
 * sampler_set_process() - set the faulting process and its mappings
 * @extent:	extent of the mappings; 0 if the process has no tables
 *
 * Call this after a first sample, which identifies the process.
 */
void sampler_set_process(struct sampler *s, u64 extent);
void sampler_close(struct sampler *s);
