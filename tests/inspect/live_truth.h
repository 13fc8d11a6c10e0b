/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Judges the names of a stack by the program's own report (fixtures/node/oracle.js).
 *
 *	leaf      in the program's leaf: every frame above has the true name, file
 *	          and line, and the leaf's line is unknown or one of the leaf's
 *	between   in another function under main: callers and top name are those of
 *	          a true stack
 *	window    the top frame did not exist yet: the same, but it may lack a name
 *	elsewhere no frame of the program, only Node.js' own or the event loop's
 *	cut       no JavaScript in a walk that ended early: it may have lost it
 *
 * Columns are compared with the true stack that fits best. For some calls V8's optimizing
 * compiler records another part of the expression than its bytecode does, so columns of
 * optimized functions are counted separately.
 */

#include "../../inspect/v8/v8.h"
#include "live_oracle.h"

#define MAX_SEEN 512
#define MAX_SEEN_LINE 4096

struct seen {
	struct v8_name names[MAX_SEEN];
	char text[MAX_SEEN][256]; /* copies of the names, which a heap keeps for one call only */
	char files[MAX_SEEN][256];
	size_t n;
	bool is_window; /* function 0 had no frame */
	bool is_cut; /* the walk ended early, and the thread is in no system call */
};

enum place { LEAF, BETWEEN, WINDOW, N_PLACES };
extern const char *const place_names[N_PLACES];

/* Columns that were compared, and those that differ; [1]: of optimized functions. */
struct columns {
	int n[2], n_off[2];
};

struct tally {
	int exact[N_PLACES], wrong[N_PLACES], elsewhere, cut;
	int leaf_located, distinct_lines, tiers[5], inlined;
	struct columns columns;
	bool line_seen[MAX_SEEN_LINE];
};

/* Judges one stack, and removes frames at its top; true: nothing is wrong. */
bool truth_judge(struct tally *t, struct seen *s, const struct truth *truth);

/*
 * Could this be a true stack with some frames, names and lines left out? Names must
 * be in order, each at one of its lines or without a line.
 */
bool truth_allows(const struct seen *s, const struct truth *truth);

/* Plants faults in a stack with frames of the program; returns how many are accepted. */
int truth_accepts_faults(const struct seen *s, const struct truth *truth);
