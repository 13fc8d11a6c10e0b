/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The loads of ring readers, from memory. The model checker has a separate version of this file. */

#include "../../../core/types.h"

/* A load with acquire order: later loads are not moved before it. */
UW_INLINE u64 flight_load_acquire(const u64 *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

UW_INLINE u64 flight_load(const u64 *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

/* Orders earlier loads before later ones. */
UW_INLINE void flight_load_fence(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}
