/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Judges the names of a stack by the program's own report (fixtures/node/oracle.js):
 *
 *	leaf      in the program's leaf: every caller has the true name, file
 *	          and line, and the leaf's line is unknown or one of the leaf's
 *	between   in another function called by main: callers and top name are those of
 *	          a true stack
 *	window    as "between", but the top function has no frame yet and may lack a name
 *	elsewhere no frame of the program, only of Node.js itself or the event loop
 *	cut       no JavaScript frame, because the walk ended early
 *
 * Columns are compared with those of the true stack that fits best. For some calls, V8's optimizing
 * compiler records another part of the expression than the bytecode, so the columns of optimized
 * functions are counted separately.
 */

#include "../../inspect/v8/v8.h"
#include "live_oracle.h"

#define MAX_SEEN 512
#define MAX_SEEN_LINE 4096

struct seen {
	struct v8_name names[MAX_SEEN];
	char text[MAX_SEEN][256]; /* copies, as the heap reuses its buffer for names */
	char files[MAX_SEEN][256];
	size_t n;
	bool is_window; /* the innermost function had no frame */
	bool is_cut; /* the walk ended early, although the thread was in no system call */
};

enum place { LEAF, BETWEEN, WINDOW, N_PLACES };
extern const char *const place_names[N_PLACES];

/* The numbers of compared columns (n) and of wrong columns (n_off); [1]: in optimized functions. */
struct columns {
	int n[2], n_off[2];
};

struct tally {
	int exact[N_PLACES], wrong[N_PLACES], elsewhere, cut;
	int leaf_located, distinct_lines, tiers[5], inlined;
	struct columns columns;
	bool line_seen[MAX_SEEN_LINE];
};

/* Judges a stack, and removes leading builtins from it. Return: true if nothing is wrong. */
bool truth_judge(struct tally *t, struct seen *s, const struct truth *truth);

/*
 * Could this be a true stack from which some frames, names and lines were removed? The names must
 * be in the same order, each without a line or with one of the lines that it has in the true stack.
 */
bool truth_allows(const struct seen *s, const struct truth *truth);

/*
 * Plants faults in a stack that has frames of the program. Return: the number of faults that the
 * judge accepts.
 */
int truth_accepts_faults(const struct seen *s, const struct truth *truth);
