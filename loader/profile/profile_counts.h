/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Counts for the summary of a profile, and the summary line.
 */

#include "json_line.h"
#include "kinds.h"

/* The properties of a stack that decide how its samples are counted. */
struct stack_info {
	u32 id;
	u8 status; /* enum uw_status */
	u8 leaf_kind; /* enum prof_kind, or PROF_N_KINDS if the stack has no frame */
	bool guess;
	u16 n_frames[PROF_N_RUNTIMES];
};

struct prof_counts {
	u64 samples, complete, guessed, unresolved;
	u64 by_status[UW_N_STATUS];
	u64 by_activity[PROF_N_ACTIVITIES];
	u64 unwound_by[PROF_N_RUNTIMES];
};

void prof_counts_add(struct prof_counts *c, const struct stack_info *stack,
		     enum prof_activity activity, bool unresolved);

/* Builds the summary line. The caller calls json_line_write(). */
void prof_counts_line(const struct prof_counts *c, const struct prof_totals *totals,
		      struct json_line *line);
