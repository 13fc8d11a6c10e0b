/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Is a change beyond noise? A two-proportion test that knows how much samples depend on one
 * another, and a correction for testing many functions.
 *
 *	rate         n / denominator; the two recordings have one rate if nothing changed
 *	variance     dispersion * rate * (1 - rate) * (1 / denominator_1 + 1 / denominator_2)
 *	dispersion   variance between the blocks of a recording, divided by the variance of
 *	             independent samples; at least 1
 *	t            difference of the rates / sqrt(variance), with blocks - 2 degrees of freedom
 *
 * Without the factor (1 - rate), the test is for counts that have no upper limit.
 */

#include "../../core/types.h"

/* A function's samples in one recording. */
struct stats_side {
	double n;
	double squares; /* sum over the blocks: squared samples / size of the block */
	double size; /* sum of the sizes of the blocks */
	u32 n_blocks; /* 0: the dispersion is unknown and is taken for 1 */
	double denominator; /* above 0 */
};

struct stats_change {
	double before, after; /* rates */
	double unit_variance; /* rate * (1 - rate) or rate, of both recordings together */
	double half_width; /* of the 95 % confidence interval of after - before */
	double p; /* probability of a change at least this large, up or down, by chance */
};

/**
 * stats_compare() - compare two rates
 * @is_share:	the rates are shares, at most 1
 */
struct stats_change stats_compare(const struct stats_side *before, const struct stats_side *after,
				  bool is_share);

/* Returns the probability of |T| >= |@t|; T has Student's distribution, for @df 0 the normal one.
 */
double stats_two_sided(double t, u32 df);

struct stats_test {
	double p; /* of this test alone */
	double weight; /* at least 0 */
	double adjusted; /* set by stats_correct() */
};

/**
 * stats_correct() - adjust probabilities for many tests
 * @v:		tests; the weights must not depend on the differences that are tested
 *
 * Holm's procedure with weights: if nothing changed, the probability that any adjusted value is
 * at most A is at most A, also for tests that depend on one another. A test with a larger weight
 * finds smaller changes. (Holm, "A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6, 1979.)
 *
 * Return: 0 or -ENOMEM.
 */
int stats_correct(struct stats_test *v, u32 n);
