/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Compares two profiles, function by function: BEFORE with AFTER.
 *
 *	profile --> blocks of one second (query/blocks.h) --+
 *	                                                    +--> pairs of functions (match.h)
 *	profile --> blocks of one second -------------------+    a test for each (stats.h)
 *
 * A change is beyond noise if its probability, adjusted for the number of functions, is at most
 * DIFF_SELF_LEVEL or DIFF_TOTAL_LEVEL. So two recordings of a program that did not change have a
 * change beyond noise in about one of 100 cases. The weight of a function grows with the square
 * of its variance: a change by some points is less conspicuous in a large function than in a small
 * one, in which the same change needs no weight to be found.
 */

#include "../query/blocks.h"

#define DIFF_SELF_LEVEL 0.008
#define DIFF_TOTAL_LEVEL 0.002

enum diff_per {
	DIFF_PER_SAMPLES, /* share of the CPU time of the process */
	DIFF_PER_SECONDS, /* CPU time per second of the recording */
	DIFF_PER_UNITS, /* CPU time per unit of work, such as a request */
};

/* One of the two profiles. */
struct diff_side {
	const char *path;
	struct prof_data *data;
	struct blocks blocks;
	double units; /* of work, for DIFF_PER_UNITS */
};

/* A percentage, or milliseconds of CPU time per second or per unit. */
struct diff_value {
	double before, after;
	double half_width; /* of the 95 % confidence interval of after - before */
	double p; /* adjusted for the number of functions */
	double weight; /* in this adjustment */
	bool is_beyond_noise;
};

struct diff_row {
	/* NULL: not in this profile. Both NULL: the row of the whole process. */
	const struct function *before, *after;
	struct diff_value self, total;
};

#define DIFF_N_NOTES 5

struct diff {
	enum diff_per per;
	const struct diff_side *before, *after;
	struct diff_row *rows; /* changes beyond noise first, the largest change first */
	u32 n;
	u32 n_changed; /* rows with a change beyond noise */
	double whole; /* value of the whole process in BEFORE */
	char *notes[DIFF_N_NOTES]; /* sentences for people; NULL: none */
};

void diff_side_deinit(struct diff_side *s);

/**
 * diff_make() - compare two profiles
 * @before, @after: with data from data_read_samples(); the blocks are counted here. They outlive
 * @diff.
 * @diff:	free with diff_deinit(), even on failure
 *
 * Return: 0, -ENOMEM, -ENOSPC for too many functions, or -ENODATA if a profile lacks the sampling
 * rate or the duration that @per needs.
 */
int diff_make(struct diff_side *before, struct diff_side *after, enum query_only only,
	      enum diff_per per, struct diff *diff);
void diff_deinit(struct diff *diff);

/* The name of a row, and its place in AFTER or else in BEFORE. Free the place. */
const char *diff_row_name(const struct diff_row *row);
char *diff_row_place(const struct diff_row *row);

/* "%", "ms/s" or "ms per unit" */
const char *diff_unit(const struct diff *d);

/*
 * Finds the row with the largest rise of self or total that is beyond noise and at least @percent
 * of the CPU time of the process in BEFORE; NULL: none.
 */
const struct diff_row *diff_worst(const struct diff *d, double percent,
				  const struct diff_value **value);
