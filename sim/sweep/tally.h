/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Counts the results at the stops of a case, and keeps the first miss at each pc. */

#include "../cpu/cpu.h"
#include "judge.h"
#include "pcs.h"

struct sweep_tally {
	const struct sim_case *c;
	struct sweep_result result;
	struct sweep_pcs pcs; /* the value of a pc is 1 + the index of the miss at this pc */
	u32 room; /* allocated length of result.misses */
};

/* The frames found at a stop, leaf first. */
struct sweep_found {
	const u64 *pcs; /* @stride words apart */
	u32 stride, n;
	u8 status; /* enum uw_status */
	const char *words; /* error text that is printed instead of the status; NULL: none */
};

/**
 * sweep_tally_miss() - count a miss
 * @at:		the entry of the stop's pc in @t->pcs
 *
 * Return: 0 or -ENOMEM.
 */
int sweep_tally_miss(struct sweep_tally *t, struct sweep_pc *at, const struct sim_stop *stop,
		     const struct sweep_found *found);

/**
 * sweep_tally_run() - run over the stops of a case
 * @run:	as for sim_cpu_run(); a hand-laid case is one stop
 *
 * Return: as sim_cpu_run(), or -ENODATA if the case has no truth.
 */
int sweep_tally_run(const struct sweep_tally *t, struct sim_cpu_run *run, struct sim_error *error);

/**
 * sweep_tally_end() - complete the result
 * @err:	the result so far
 * @out:	freed by sweep_result_deinit(); not written if @err
 *
 * Return: @err.
 */
int sweep_tally_end(struct sweep_tally *t, int err, struct sweep_result *out);
