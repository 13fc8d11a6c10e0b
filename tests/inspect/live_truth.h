/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A stack as it was named, judged by what the program says of itself
 * (fixtures/node/oracle.js).
 *
 *	leaf      in the program's leaf: every frame above has the true name, file
 *	          and line, and the leaf's line is one of the leaf's or unknown
 *	between   in another function under main: callers and top name are those of
 *	          a true stack
 *	window    the top frame did not exist yet: the same, but it may lack a name
 *	elsewhere no frame of the program, but Node.js' own or the event loop's
 *	cut       no JavaScript in a walk that ended early: it may have lost it
 *
 * Columns are those of the true stack that fits best. For some calls V8's optimizing
 * compiler records another part of the expression than its bytecode does, so those of
 * optimized functions are counted apart.
 */

#include "../../inspect/v8/v8.h"
#include "live_oracle.h"

#define MAX_SEEN 512
#define MAX_SEEN_LINE 4096

struct seen {
	struct v8_name names[MAX_SEEN];
	char text[MAX_SEEN][256]; /* copies of the names: a heap keeps them for one call only */
	char files[MAX_SEEN][256];
	size_t n;
	bool is_window; /* frame 0 was caught without its frame */
	bool is_cut; /* the walk ended early, and the thread is in no system call */
};

enum place { LEAF, BETWEEN, WINDOW, N_PLACES };
extern const char *const place_names[N_PLACES];

/* Compared with the truth, and other than it; [1]: of optimized functions. */
struct columns {
	int n[2], n_off[2];
};

struct tally {
	int exact[N_PLACES], wrong[N_PLACES], elsewhere, cut;
	int leaf_located, distinct_lines, tiers[5], inlined;
	struct columns columns;
	bool line_seen[MAX_SEEN_LINE];
};

/* Judges one stack (which it cuts at the top); true: nothing is wrong with it. */
bool truth_judge(struct tally *t, struct seen *s, const struct truth *truth);

/*
 * Could this be a true stack with some frames, names and lines left out? Names in
 * their order, each at a line of its own or none.
 */
bool truth_allows(const struct seen *s, const struct truth *truth);

/* Plants faults in a stack with frames of the program; how many of them would pass. */
int truth_accepts_faults(const struct seen *s, const struct truth *truth);
