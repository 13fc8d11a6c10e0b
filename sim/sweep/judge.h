/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Sweeps one case: makes a walk at each instruction, and compares the frames with the true stack. A
 * boundary is one stop; there can be many boundaries at one pc.
 */

#include "../case/case.h"
#include "../case/error.h"
#include "pcs.h"

/* Makes the walks. */
struct sweep_walker {
	const char *name;
	/*
	 * Sets the frames and status of the sample. Returns 0, or a negative errno that ends the
	 * sweep. NULL: the native core makes the walks.
	 */
	int (*walk)(void *ctx, const struct sim_target *target, struct uw_state *u);
	void *ctx;
	const char *why; /* pointer to the error text; NULL: none */
	u32 every; /* walk at the first boundary and at each @every-th after that; 0 means 1 */
};

#define SWEEP_CODE_LEN 16

/* The first wrong walk at a pc. */
struct sweep_miss {
	u64 pc;
	u64 n; /* number of wrong boundaries at pc */
	u64 n_lost_caller; /* number of wrong boundaries that lose only the direct caller */
	const char *frameless; /* kind of frameless code at pc; NULL: the function has a frame */
	u64 *expected; /* n_expected pcs, leaf first */
	u64 *found; /* n_found pcs, leaf first; in the same allocation */
	u32 n_expected, n_found;
	char *words; /* error text that is printed instead of the status; NULL: none */
	u8 status; /* enum uw_status */
	u8 wanted_status; /* expected status; UW_N_STATUS: any status is right (executed case) */
	bool is_known; /* the miss is in the list; known_apply() sets this */
	u8 code_len;
	u8 code[SWEEP_CODE_LEN]; /* bytes at pc */
};

struct sweep_result {
	u64 boundaries, exact; /* number of boundaries at which a walk was made, and number of those
				* with an exact walk */
	u64 n_lost_caller; /* number of misses that lose only the direct caller */
	u64 n_frameless; /* number of misses in frameless code */
	u32 every; /* 1: a walk was made at every boundary */
	/* Only if answers are judged as exact, acceptable or wrong (sim/plugin): */
	bool has_verdicts;
	u64 n_acceptable; /* number of answers that are acceptable (enum plugin_verdict) */
	u64 n_unanswered; /* number of boundaries at which there was no answer; they count as
			   * wrong */
	u32 n_pcs; /* number of different pcs */
	u32 n_misses;
	struct sweep_miss *misses; /* sorted by address */
};

/**
 * sweep_judge() - run a case and judge a walk at every instruction
 * @c:		the case, which can't be executed again; a hand-laid case is one boundary
 * @walker:	NULL for the native core
 * @out:	freed by sweep_result_deinit()
 * @error:	set to the reason if the case or the walker could not continue
 *
 * A walk is exact if it finds all pcs of the true stack in the same order, and no other pcs; for a
 * hand-laid case, the status must also be the expected one.
 *
 * Return: 0 regardless of the number of misses, or a negative errno from the walker or from
 * sim_cpu_run().
 */
int sweep_judge(const struct sim_case *c, const struct sweep_walker *walker,
		struct sweep_result *out, struct sim_error *error);

/* Returns whether the sample has all pcs of the true stack in the same order, and no others. */
bool sweep_is_exact(const struct uw_sample *s, const struct sim_truth *truth);

void sweep_result_deinit(struct sweep_result *r);

/* Returns the number of boundaries judged wrong. */
u64 sweep_n_wrong(const struct sweep_result *r);

/* Returns the percentage of exact boundaries, which is 100 only if all are exact. */
double sweep_percent(u64 exact, u64 boundaries);
