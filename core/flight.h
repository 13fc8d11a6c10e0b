/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The writer of the flight recorder, which records the steps of a walk in a ring. The recorder is
 * always on; it never waits and never allocates. flight_ring.h describes the format. An entry is
 * written in this order:
 *
 *	take the next index n       seq = ~0, next = n + 1
 *	-- fence --                 so a reader that sees a new word sees that the old seq is gone
 *	fill                        words 1 .. 7
 *	-- fence --                 so a reader that sees the new seq sees all words of the entry
 *	publish                     seq = (n + 1) << 1
 *
 * Plain stores suffice, because a ring has one writer at a time and no other writer interrupts it:
 * the kernel skips a perf_event program that would nest in another, and threads do not record in
 * signal handlers. So atomic operations, which BPF has since v5.12, are needed only for the fence,
 * on architectures that reorder stores.
 *
 * The include path selects <flight_impl.h>, which locates the ring and the control page. In
 * core/flight-off, the ring and the control page are NULL, so the compiler drops all calls of the
 * recorder from a walk.
 */

#include "flight_ring.h"

/**
 * flight_control() - get the control page
 *
 * Return: the control page; NULL, as a constant, in a build without a flight recorder.
 */
UW_INLINE const struct flight_control *flight_control(void);

/**
 * flight_ring() - get the ring of this CPU or thread
 *
 * Return: the ring, or NULL if this CPU or thread has none.
 */
UW_INLINE struct flight_ring *flight_ring(void);

/*
 * Returns the slot for an index. The number of slots is a power of two, and no smaller than the
 * slots of the largest entry.
 */
UW_INLINE struct flight_slot *flight_slot(struct flight_ring *r, u64 index);
UW_INLINE u64 flight_len(void);

/* Returns CLOCK_MONOTONIC in ns. */
UW_INLINE u64 flight_now(void);

/* Stores 8 bytes atomically. */
UW_INLINE void flight_store(u64 *at, u64 value);

/*
 * A barrier: a reader that sees a store after the barrier also sees all stores before the barrier.
 * The compiler moves no store across the barrier.
 */
UW_INLINE void flight_fence(struct flight_ring *r);

#include <flight_impl.h>

/*
 * Returns the events that are on, as bits. While an event is off, this load is the event's only
 * cost.
 */
UW_INLINE u64 flight_mask(void)
{
	const struct flight_control *c = flight_control();

	return c ? *(const volatile u64 *)&c->mask : 0;
}

/*
 * Is the event recorded? FLIGHT_BUILT (flight_impl.h) is the set of events that this build can
 * record.
 */
UW_INLINE bool flight_on(enum flight_event event)
{
	return FLIGHT_BUILT >> event & 1 && __builtin_expect(flight_mask() >> event & 1, 0);
}

/*
 * Invalidates @n_slots slots from index @n on and reserves them. @head points to the words of the
 * first slot.
 */
UW_INLINE void flight_reserve(struct flight_ring *r, u64 n, u64 *head, u32 n_slots)
{
	flight_store(head, FLIGHT_BUSY);
	for (u32 i = 1; i < n_slots; i++)
		flight_store(&flight_slot(r, n + i)->word[0], FLIGHT_BUSY);
	flight_store(&r->next, n + n_slots);
	flight_fence(r);
}

/*
 * Publishes the slots of an entry. The head is published last, so a reader that sees the head sees
 * the whole entry.
 */
UW_INLINE void flight_publish(struct flight_ring *r, u64 n, u64 *head, u32 n_slots)
{
	flight_fence(r);
	for (u32 i = n_slots - 1; i > 0; i--)
		flight_store(&flight_slot(r, n + i)->word[0], flight_seq(n + i) | 1);
	flight_store(head, flight_seq(n));
}

/**
 * flight_put() - append one entry, regardless of mask and state
 * @r:		the ring
 * @what:	event | phase << 8
 * @when:	ns since the walk began | detail << 32
 * @d:		the data words
 * @n_words:	constant, 1 .. FLIGHT_MAX_WORDS
 */
UW_INLINE void flight_put(struct flight_ring *r, u64 what, u64 when, const u64 *d, u32 n_words)
{
	const u32 n_slots = flight_n_slots(n_words);
	u64 n = r->next, *head = flight_slot(r, n)->word, *w = head;

	if (flight_control()->keep_first && n + n_slots > flight_len()) {
		r->dropped++;
		return;
	}
	flight_reserve(r, n, head, n_slots);
	flight_store(&w[1],
		     what | (u64)(n_slots - 1) << 12 | (u64)n_words << 16 | (u64)r->walk << 32);
	flight_store(&w[2], when);
	for (u32 i = 0; i < FLIGHT_HEAD_WORDS; i++)
		flight_store(&w[3 + i], i < n_words ? d[i] : 0);
	for (u32 s = 1, at = FLIGHT_HEAD_WORDS; s < n_slots; s++) {
		w = flight_slot(r, n + s)->word;
		for (u32 i = 1; i < FLIGHT_SLOT_WORDS; i++, at++)
			flight_store(&w[i], at < n_words ? d[at] : 0);
	}
	flight_publish(r, n, head, n_slots);
}

UW_INLINE bool flight_is_frozen(const struct flight_control *c, const struct flight_ring *r)
{
	return r->frozen_epoch == c->epoch + 1;
}

/*
 * Is a walk of this process recorded? The writer calls this when the walk begins, so that no walk
 * is recorded in part.
 */
UW_INLINE bool flight_admits(const struct flight_control *c, struct flight_ring *r, u32 pid)
{
	if (c->pid && c->pid != pid)
		return false;
	if (!c->is_stopped && !(flight_is_frozen(c, r) && r->next - r->frozen >= c->post))
		return true;
	r->suppressed++;
	return false;
}

/**
 * flight_begin_at() - record the start of a walk
 * @now:	a recent value of flight_now()
 * @process:	process << 32 | thread
 * @pc, @sp, @fp: registers that the walk starts from
 * @detail:	the sample's flags
 */
UW_INLINE void flight_begin_at(u64 now, u64 process, u64 pc, u64 sp, u64 fp, u32 detail)
{
	const struct flight_control *c = flight_control();
	struct flight_ring *r;

	if (!flight_mask())
		return;
	r = flight_ring();
	if (!r)
		return;
	r->recording = flight_admits(c, r, (u32)(process >> 32));
	if (!r->recording)
		return;
	r->walk++;
	r->begin_ns = now;
	if (flight_on(FLIGHT_BEGIN)) {
		u64 d[] = { now, process, pc, sp, fp };

		flight_put(r, FLIGHT_BEGIN, (u64)detail << 32, d, 5);
	}
}

/* Same as flight_begin_at() with the current time. */
UW_INLINE void flight_begin(u64 process, u64 pc, u64 sp, u64 fp, u32 detail)
{
	if (flight_mask())
		flight_begin_at(flight_now(), process, pc, sp, fp, detail);
}

/**
 * flight_event() - record an event within a walk
 * @event:	constant
 * @phase:	constant
 * @detail:	any value
 * @d:		data words of the event
 * @n_words:	constant
 */
UW_INLINE void flight_event(enum flight_event event, enum flight_phase phase, u32 detail,
			    const u64 *d, u32 n_words)
{
	struct flight_ring *r;

	if (!flight_on(event))
		return;
	r = flight_ring();
	if (r && r->recording)
		flight_put(r, event | (u64)phase << 8, FLIGHT_NO_TIME | (u64)detail << 32, d,
			   n_words);
}

/* Freezes the ring, unless the ring is already frozen. */
UW_INLINE void flight_trigger(const struct flight_control *c, struct flight_ring *r, u64 now,
			      u32 status)
{
	u64 d[] = { now, status };

	if (flight_is_frozen(c, r))
		return;
	if (flight_on(FLIGHT_TRIGGER))
		flight_put(r, FLIGHT_TRIGGER, FLIGHT_NO_TIME, d, 2);
	r->frozen = r->next;
	r->frozen_epoch = c->epoch + 1;
}

/**
 * flight_end() - record the end of a walk
 * @status:	enum uw_status
 * @n_frames:	number of frames found
 * @fault:	address of the last read that failed, or 0
 * @n_reads:	number of reads made
 * @detail:	kind, status, flags and rule of the last frame (FLIGHT_STEP_*_SHIFT)
 */
UW_INLINE void flight_end(u32 status, u32 n_frames, u64 fault, u32 n_reads, u32 detail)
{
	const struct flight_control *c = flight_control();
	struct flight_ring *r;
	u64 now, took;

	if (!flight_mask())
		return;
	r = flight_ring();
	if (!r || !r->recording)
		return;
	r->recording = 0;
	now = flight_now();
	took = now - r->begin_ns;
	if (took >= FLIGHT_NO_TIME)
		took = FLIGHT_NO_TIME - 1;
	if (flight_on(FLIGHT_END)) {
		u64 d[] = { now, status, n_frames, fault, n_reads };

		flight_put(r, FLIGHT_END | FLIGHT_STOP << 8, took | (u64)detail << 32, d, 5);
	}
	if (c->freeze_on >> (status & 63) & 1)
		flight_trigger(c, r, now, status);
}

/**
 * flight_log() - record an event outside of walks
 * @d:		data words of the event; the first is flight_now()
 */
UW_INLINE void flight_log(enum flight_event event, enum flight_phase phase, u32 detail,
			  const u64 *d, u32 n_words)
{
	struct flight_ring *r;

	if (!flight_on(event))
		return;
	r = flight_ring();
	if (r)
		flight_put(r, event | (u64)phase << 8, FLIGHT_NO_TIME | (u64)detail << 32, d,
			   n_words);
}
