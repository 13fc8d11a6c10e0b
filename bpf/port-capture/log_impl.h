/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Sends the log of a sample before the sample. bpf/port has the same symbols. With a flight
 * recorder, only the log of a walk that froze its ring is sent: at most one until user space
 * lets the ring record again.
 */

#include "../driver.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22); /* the loader sets this from the number of CPUs */
} uw_log_ring SEC(".maps");

/* Called before a walk starts from the slot's registers. */
UW_INLINE void uw_log_begin(const struct uw_slot *s)
{
	struct uw_log_buffer *b = uw_this_log();

	if (!b)
		return;
	b->log.time_ns = s->state.sample.time_ns;
	b->log.cpu = s->state.sample.cpu;
	b->log.len = 0;
	b->log.n_reads = 0;
	b->log.n_dropped = 0;
	b->log.regs = s->user_regs;
}

/* A frozen ring records no walk, so a recorded walk with a freezing status has frozen it. */
UW_INLINE bool uw_log_is_wanted(const struct uw_sample *s)
{
	const struct flight_control *c = flight_control();
	const struct flight_ring *r;

	if (!c)
		return true;
	r = flight_ring();
	return r && flight_is_frozen(c, r) && r->begin_ns == s->time_ns &&
	       c->freeze_on >> (s->status & 63) & 1;
}

/* Called after the walk. False: don't send the sample, because its log did not fit. */
UW_INLINE bool uw_log_send(const struct uw_slot *s)
{
	struct uw_log_buffer *b = uw_this_log();
	u64 len;

	if (!b)
		return false;
	if (!uw_log_is_wanted(&s->state.sample))
		return true;
	len = b->log.len;
	asm volatile("" : "+r"(len));
	if (len > UW_LOG_LEN)
		len = UW_LOG_LEN;
	return !bpf_ringbuf_output(&uw_log_ring, b, sizeof(b->log) + len, BPF_RB_NO_WAKEUP);
}
