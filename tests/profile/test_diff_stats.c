/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests the statistics of `unspool diff` with tables of textbooks and with small numbers. */

#include "../check.h"

#include <math.h>

#include "../../core/types.h"
#include "../../loader/diff/stats.h"

static void assert_near(double is, double want, double by)
{
	if (fabs(is - want) > by)
		fail_msg("%g is not within %g of %g", is, by, want);
}

/* Critical values of Student's distribution as in textbooks; 0: the normal distribution. */
static void probabilities_are_those_of_the_table_of_student(void **state)
{
	static const struct {
		u32 df;
		double t, p;
	} table[] = {
		{ 1, 12.706, 0.05 },  { 1, 63.657, 0.01 },  { 2, 4.303, 0.05 },
		{ 2, 9.925, 0.01 },   { 3, 3.182, 0.05 },   { 3, 5.841, 0.01 },
		{ 4, 2.776, 0.05 },   { 4, 8.610, 0.001 },  { 5, 2.571, 0.05 },
		{ 10, 2.228, 0.05 },  { 10, 4.587, 0.001 }, { 29, 2.756, 0.01 },
		{ 30, 3.646, 0.001 }, { 60, 2.000, 0.05 },  { 120, 2.617, 0.01 },
		{ 0, 1.960, 0.05 },   { 0, 3.291, 0.001 },  { 4000, 2.576, 0.01 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_near(stats_two_sided(table[i].t, table[i].df), table[i].p, table[i].p / 100);
		assert_near(stats_two_sided(-table[i].t, table[i].df), table[i].p,
			    table[i].p / 100);
	}
	assert_near(stats_two_sided(0, 7), 1, 1e-12);
	assert_true(stats_two_sided(1e6, 8) >= 0);
}

/* @a and @b: samples of a function in two blocks of 100 samples. */
static struct stats_side two_blocks(double a, double b)
{
	return (struct stats_side){ a + b, (a * a + b * b) / 100, 200, 2, 200 };
}

/*
 * 20 of 100 in each block, then 30 of 100: rates of 0.2 and 0.3, variance of the difference
 * 0.25 * 0.75 * (1 / 200 + 1 / 200).
 */
static void independent_samples_are_compared_as_two_proportions(void **state)
{
	const struct stats_side before = two_blocks(20, 20), after = two_blocks(30, 30);
	struct stats_change c = stats_compare(&before, &after, true);

	(void)state;
	assert_near(c.before, 0.2, 1e-12);
	assert_near(c.after, 0.3, 1e-12);
	assert_near(c.p, stats_two_sided(0.1 / sqrt(0.001875), 2), 1e-9);
	assert_near(c.half_width, 4.303 * sqrt((0.16 + 0.21) / 200), 1e-3);
}

/*
 * In the first recording the blocks have 10 and 30 samples: the sum of squared deviations is
 * (100 + 100) / (100 * 0.2 * 0.8) = 12.5, with one degree of freedom in each recording.
 */
static void samples_that_come_in_bursts_make_a_change_less_certain(void **state)
{
	const struct stats_side bursts = two_blocks(10, 30), after = two_blocks(30, 30);
	struct stats_change c = stats_compare(&bursts, &after, true);

	(void)state;
	assert_near(c.p, stats_two_sided(0.1 / sqrt(6.25 * 0.001875), 2), 1e-9);
	assert_near(c.half_width, 4.303 * sqrt(6.25 * (0.16 + 0.21) / 200), 1e-3);
}

/* A rate has no upper limit, so its variance is the rate itself: 0.2 + 0.3 over 100 s. */
static void rates_per_second_have_the_variance_of_counts(void **state)
{
	const struct stats_side before = { 20, 4, 100, 100, 1000 },
				after = { 40, 16, 100, 100, 1000 };
	struct stats_change c = stats_compare(&before, &after, false);

	(void)state;
	assert_near(c.before, 0.02, 1e-12);
	assert_near(c.after, 0.04, 1e-12);
	assert_near(c.p, stats_two_sided(0.02 / sqrt(0.03 * 0.002), 198), 1e-9);
}

static void nothing_to_compare_is_no_change(void **state)
{
	const struct stats_side all = { 50, 50, 50, 1, 50 }, none = { 0, 0, 50, 1, 50 };

	(void)state;
	assert_near(stats_compare(&all, &all, true).p, 1, 0);
	assert_near(stats_compare(&none, &none, true).p, 1, 0);
	assert_near(stats_compare(&none, &none, false).p, 1, 0);
	assert_true(stats_compare(&none, &all, true).p < 1e-9);
}

/*
 * Holm without weights: 0.01 * 3, 0.02 * 2, 0.03 * 1, never falling. With weights 1, 1, 2 the
 * third test comes first: 0.01 * 4 / 2, then 0.01 * 2 / 1, then 0.04.
 */
static void probabilities_are_adjusted_as_by_hand(void **state)
{
	struct stats_test equal[] = { { 0.03, 1, 0 }, { 0.01, 1, 0 }, { 0.02, 1, 0 } };
	struct stats_test weighted[] = { { 0.04, 1, 0 }, { 0.01, 1, 0 }, { 0.01, 2, 0 } };
	struct stats_test without[] = { { 0.001, 0, 0 }, { 0.9, 5, 0 } };

	(void)state;
	assert_int_equal(stats_correct(equal, 3), 0);
	assert_near(equal[1].adjusted, 0.03, 1e-12);
	assert_near(equal[2].adjusted, 0.04, 1e-12);
	assert_near(equal[0].adjusted, 0.04, 1e-12);
	assert_int_equal(stats_correct(weighted, 3), 0);
	assert_near(weighted[2].adjusted, 0.02, 1e-12);
	assert_near(weighted[1].adjusted, 0.02, 1e-12);
	assert_near(weighted[0].adjusted, 0.04, 1e-12);
	assert_int_equal(stats_correct(without, 2), 0);
	assert_near(without[0].adjusted, 1, 0);
	assert_near(without[1].adjusted, 0.9, 1e-12);
	assert_int_equal(stats_correct(NULL, 0), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(probabilities_are_those_of_the_table_of_student),
	cmocka_unit_test(independent_samples_are_compared_as_two_proportions),
	cmocka_unit_test(samples_that_come_in_bursts_make_a_change_less_certain),
	cmocka_unit_test(rates_per_second_have_the_variance_of_counts),
	cmocka_unit_test(nothing_to_compare_is_no_change),
	cmocka_unit_test(probabilities_are_adjusted_as_by_hand),
};

int main(void)
{
	return CHECK_RUN(tests);
}
