/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Sends the log of a sample before the sample. bpf/port defines the same symbols. In a build with a
 * flight recorder, sends only the log of a walk that froze its ring; there is at most one such walk
 * until user space lets the ring record again.
 */

#include "../driver.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22); /* the loader sets this, depending on the number of CPUs */
} uw_log_ring SEC(".maps");

/* The program calls this before a walk, which starts from the slot's registers. */
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

/*
 * Is the sample's log to be sent? A frozen ring records no walks, so if this walk is recorded and
 * has a status that freezes a ring, this walk has frozen its ring.
 */
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

/*
 * The program calls this after the walk. Returns false if the log did not fit; the caller must then
 * not send the sample.
 */
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
