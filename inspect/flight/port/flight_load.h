/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* How rings are read: here from memory; the model checker has its own. */

#include "../../../core/types.h"

/* Loads after it are made after it. */
UW_INLINE u64 flight_load_acquire(const u64 *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

UW_INLINE u64 flight_load(const u64 *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

/* Loads before it are made before those after it. */
UW_INLINE void flight_load_fence(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}
