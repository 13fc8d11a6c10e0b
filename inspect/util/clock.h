/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Clocks in nanoseconds, as 64-bit integers. */

#include <time.h>

#include "../../core/types.h"

#define NS_PER_S 1000000000ull
#define NEVER_NS (~0ull) /* a time that no clock reaches */

static inline u64 timespec_ns(struct timespec t)
{
	return (u64)t.tv_sec * NS_PER_S + (u64)t.tv_nsec;
}

/*
 * Reads a clock. Returns 0 if the clock is unreadable, because it counts the CPU time of a process
 * that has ended.
 */
static inline u64 clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return timespec_ns(t);
}

static inline u64 monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}
