/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/* Builds without a flight recorder: the compiler drops all calls of the recorder's functions. */

#define FLIGHT_BUILT 0ull
#define FLIGHT_COLD UW_INLINE

UW_INLINE const struct flight_control *flight_control(void)
{
	return NULL;
}

UW_INLINE struct flight_ring *flight_ring(void)
{
	return NULL;
}

UW_INLINE struct flight_slot *flight_slot(struct flight_ring *r, u64 index)
{
	(void)index;
	return r->slots;
}

UW_INLINE u64 flight_len(void)
{
	return 1;
}

UW_INLINE u64 flight_now(void)
{
	return 0;
}

UW_INLINE void flight_store(u64 *at, u64 value)
{
	(void)at;
	(void)value;
}

UW_INLINE void flight_fence(struct flight_ring *r)
{
	(void)r;
}
