/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reads one perf ring buffer: returns whole records, in order.
 *
 *	           tail                head
 *	            |<--- unread ------>|
 *	  +---------+-------------------+---------+
 *	  |  free   | rec | rec | rec   |  free   |   the last record may wrap
 *	  +---------+-------------------+---------+
 *
 * The caller passes the addresses of head and tail. This lets a test build a ring from bytes.
 */

#include <linux/perf_event.h>
#include <stddef.h>

#include "../../core/types.h"

/* Larger than any requested record; the record of a mapping contains a path of up to 4096 bytes. */
#define PERF_RING_MAX_RECORD 8192

struct perf_ring {
	const u8 *data;
	size_t size; /* a power of two */
	const __u64 *head; /* the kernel's */
	__u64 *tail; /* ours */
	u64 n_bad; /* number of malformed records, and of rings whose rest had to be skipped */
	size_t peeked; /* length of the record that was peeked; 0: none */
	u8 scratch[PERF_RING_MAX_RECORD] __attribute__((aligned(8)));
};

/**
 * perf_ring_peek() - read the oldest unread record and leave it in the ring
 * @r:		ring
 *
 * A header with an impossible length makes the rest of the ring unreadable, so the rest is skipped
 * and counted in n_bad. The same happens at a record larger than PERF_RING_MAX_RECORD.
 *
 * Return: the record, with header.size readable bytes, valid until perf_ring_consume(); NULL if
 * there is none.
 */
const struct perf_event_header *perf_ring_peek(struct perf_ring *r);

/* Returns the space of the peeked record to the kernel. */
void perf_ring_consume(struct perf_ring *r);
