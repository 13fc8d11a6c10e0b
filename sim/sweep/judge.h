/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The sweep of one case: a walk at each instruction, whose frames are compared with the true
 * stack. A boundary is one stop; a pc can have many.
 */

#include "../case/case.h"
#include "../case/error.h"
#include "pcs.h"

/* Makes the walks. */
struct sweep_walker {
	const char *name;
	/*
	 * Sets frames and status of the sample. Returns 0 or a negative errno, which ends the
	 * sweep. NULL: the native core walks.
	 */
	int (*walk)(void *ctx, const struct sim_target *target, struct uw_state *u);
	void *ctx;
	const char *why; /* location of the error text; NULL: none */
	u32 every; /* walk at the first boundary and each @every-th after it; 0 means 1 */
};

#define SWEEP_CODE_LEN 16

/* The first wrong walk at a pc. */
struct sweep_miss {
	u64 pc;
	u64 n; /* number of wrong boundaries at pc */
	u64 n_lost_caller; /* wrong boundaries that lose the direct caller and nothing else */
	const char *window; /* kind of frameless code at pc; NULL: the function has a frame */
	u64 *expected; /* n_expected pcs, leaf first */
	u64 *found; /* n_found pcs, leaf first; in the same block of memory */
	u32 n_expected, n_found;
	char *words; /* error text, used instead of the status; NULL: none */
	u8 status; /* enum uw_status */
	u8 wanted_status; /* expected; UW_N_STATUS: any, the case is executed */
	bool is_known; /* in the list; set by known_apply() */
	u8 code_len;
	u8 code[SWEEP_CODE_LEN]; /* bytes at pc */
};

struct sweep_result {
	u64 boundaries, exact; /* boundaries at which a walk was made */
	u64 n_lost_caller; /* misses that lose the direct caller and nothing else */
	u64 n_in_windows; /* misses in frameless code */
	u32 every; /* 1: a walk was made at every boundary */
	/* If answers are judged as exact, acceptable or wrong (sim/plugin): */
	bool has_verdicts;
	u64 n_acceptable; /* some true frames, without a claim to be complete */
	u64 n_unanswered; /* wrong boundaries without any answer */
	u32 n_pcs; /* number of different pcs */
	u32 n_misses;
	struct sweep_miss *misses; /* sorted by address */
};

/**
 * sweep_judge() - run a case and compare at every instruction
 * @c:		used up; a hand-laid case is one boundary
 * @walker:	NULL for the native core
 * @out:	freed by sweep_result_deinit()
 * @error:	set to the reason if the case or the walker could not continue
 *
 * A walk is exact if it has all pcs of the true stack in the same order and no others; for a
 * hand-laid case the status must also match.
 *
 * Return: 0 regardless of the number of misses, or a negative errno: the walker's, or as of
 * sim_cpu_run().
 */
int sweep_judge(const struct sim_case *c, const struct sweep_walker *walker,
		struct sweep_result *out, struct sim_error *error);

/* Whether the sample has all pcs of the true stack in the same order and no others. */
bool sweep_is_exact(const struct uw_sample *s, const struct sim_truth *truth);

void sweep_result_deinit(struct sweep_result *r);

/* Number of boundaries judged wrong. */
u64 sweep_n_wrong(const struct sweep_result *r);

/* Percentage of all boundaries; 100 only if all are exact. */
double sweep_percent(u64 exact, u64 boundaries);
