/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Shared by the parts of unspool-bench-engines. */

#include "../../sim/case/cases.h"

#include <time.h>

/* Walks per second of CPU time; 0 if not measured. */
struct bench_sweeps {
	double code; /* stops of a sweep without walks, per second of CPU time */
	double native, guest;
};

/**
 * bench_sweeps() - sweep executed cases, including their first execution
 * @paths:	cases to load and execute; the guest engine walks in one of them only
 *
 * Return: 0, or 1 after printing what failed.
 */
int bench_sweeps(const struct sim_paths *paths, const struct sim_arch *arch,
		 struct bench_sweeps *out);

static inline u64 bench_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}
