/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Counts what is found at the stops of a case, and keeps the first miss at each pc. */

#include "../cpu/cpu.h"
#include "judge.h"
#include "pcs.h"

struct sweep_tally {
	const struct sim_case *c;
	struct sweep_result result;
	struct sweep_pcs pcs; /* value: index of the pc's miss, plus 1 */
	u32 room; /* of result.misses */
};

/* What was found at a stop, leaf first. */
struct sweep_found {
	const u64 *pcs; /* each @stride words behind the one before */
	u32 stride, n;
	u8 status; /* enum uw_status */
	const char *words; /* in place of the status', NULL: none */
};

/**
 * sweep_tally_miss() - count what is not exact
 * @at:		the stop's entry in @t->pcs
 *
 * Return: 0 or -ENOMEM.
 */
int sweep_tally_miss(struct sweep_tally *t, struct sweep_pc *at, const struct sim_stop *stop,
		     const struct sweep_found *found);

/**
 * sweep_tally_run() - go through the stops of a case
 * @run:	as for sim_cpu_run(); a hand-laid case is one stop
 *
 * Return: as sim_cpu_run(), or -ENODATA when there is no truth to judge by.
 */
int sweep_tally_run(const struct sweep_tally *t, struct sim_cpu_run *run, struct sim_error *error);

/**
 * sweep_tally_end() - conclude
 * @err:	what came of it
 * @out:	ends with sweep_result_deinit(); not written when @err
 *
 * Return: @err.
 */
int sweep_tally_end(struct sweep_tally *t, int err, struct sweep_result *out);
