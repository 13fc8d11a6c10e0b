/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The flight recorder in user space. Each thread has a separate ring. */

#include "../../util/clock.h"

#define FLIGHT_BUILT (~0ull)
#define FLIGHT_COLD UW_INLINE

/* The ring of a thread; all zero: none. */
struct fl_thread {
	const struct flight_control *control;
	struct flight_ring *ring;
	u64 mask; /* number of slots in the ring, minus 1 */
};

extern _Thread_local struct fl_thread fl_thread;

UW_INLINE const struct flight_control *flight_control(void)
{
	return fl_thread.control;
}

UW_INLINE struct flight_ring *flight_ring(void)
{
	return fl_thread.ring;
}

UW_INLINE struct flight_slot *flight_slot(struct flight_ring *r, u64 index)
{
	return &r->slots[index & fl_thread.mask];
}

UW_INLINE u64 flight_len(void)
{
	return fl_thread.mask + 1;
}

UW_INLINE u64 flight_now(void)
{
	return monotonic_ns();
}

UW_INLINE void flight_store(u64 *at, u64 value)
{
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
}

UW_INLINE void flight_fence(struct flight_ring *r)
{
	(void)r;
	__atomic_thread_fence(__ATOMIC_RELEASE);
}
