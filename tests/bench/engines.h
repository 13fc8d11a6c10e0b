/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The parts of the bench of engines. */

#include "../../sim/case/cases.h"

#include <time.h>

/* Walks of a second, of CPU time unless said otherwise; 0: not measured. */
struct bench_sweeps {
	double code; /* stops at which nothing is done: what executing the code leaves */
	double native, guest;
};

/**
 * bench_sweeps() - sweep executed cases, each the way its first time is
 * @paths:	all are executed, loading included; the guest engine walks in one only
 *
 * Return: 0 or 1 when something failed, which it said.
 */
int bench_sweeps(const struct sim_paths *paths, const struct sim_arch *arch,
		 struct bench_sweeps *out);

static inline u64 bench_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}
