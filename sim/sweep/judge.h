/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One case under the sweep: at each instruction a walk is made and its frames are
 * compared with the truth. A boundary is one stop; the same pc can be many.
 */

#include "../case/case.h"
#include "../case/error.h"
#include "pcs.h"

/* Who walks. */
struct sweep_walker {
	const char *name;
	/*
	 * Fills sample's frames and status; 0 or a negative errno, which ends the sweep.
	 * NULL: the core, natively.
	 */
	int (*walk)(void *ctx, const struct sim_target *target, struct uw_state *u);
	void *ctx;
	const char *why; /* where the words for an error are; NULL: nowhere */
	u32 every; /* walk at the first boundary and each that many after it; 0 is 1 */
};

#define SWEEP_CODE_LEN 16

/* The first wrong walk at a pc. */
struct sweep_miss {
	u64 pc;
	u64 n; /* how many boundaries at pc were wrong */
	u64 n_lost_caller; /* of them lose the direct caller and nothing else */
	const char *window; /* the case's word for where pc is; NULL: in no window */
	u64 *expected; /* n_expected pcs, leaf first */
	u64 *found; /* n_found pcs, leaf first; in the same block of memory */
	u32 n_expected, n_found;
	char *words; /* what came of the walk, in place of the status' words; NULL: those */
	u8 status; /* enum uw_status */
	u8 wanted_status; /* UW_N_STATUS: any, the case is executed */
	bool is_known; /* known_apply() */
	u8 code_len;
	u8 code[SWEEP_CODE_LEN]; /* at pc */
};

struct sweep_result {
	u64 boundaries, exact; /* those at which a walk was made */
	u64 n_lost_caller; /* misses that lose the direct caller and nothing else */
	u64 n_in_windows; /* misses where the case has a window */
	u32 every; /* 1: a walk was made at every boundary */
	/* Judged in three values, exact, acceptable, wrong (sim/plugin): */
	bool has_verdicts;
	u64 n_acceptable; /* true as far as it goes, and it says that there is more */
	u64 n_unanswered; /* of those that are wrong: nothing was found */
	u32 n_pcs; /* different pcs that were looked at */
	u32 n_misses;
	struct sweep_miss *misses; /* by address */
};

/**
 * sweep_judge() - run a case and compare at every instruction
 * @c:		it is used up; a hand-laid case is one boundary
 * @walker:	NULL for the core
 * @out:	ends with sweep_result_deinit()
 * @error:	why the case or the walker could not go on
 *
 * Exact means: the same pcs in the same order, all of them; and what is written down
 * about a hand-laid case also says with which status.
 *
 * Return: 0 however many misses there are, or a negative errno: the walker's, or as of
 * sim_cpu_run().
 */
int sweep_judge(const struct sim_case *c, const struct sweep_walker *walker,
		struct sweep_result *out, struct sim_error *error);

/* The same pcs in the same order, all of them. */
bool sweep_is_exact(const struct uw_sample *s, const struct sim_truth *truth);

void sweep_result_deinit(struct sweep_result *r);

/* Boundaries that were judged wrong. */
u64 sweep_n_wrong(const struct sweep_result *r);

/* Of all boundaries; 100 only when every one is exact. */
double sweep_percent(u64 exact, u64 boundaries);
