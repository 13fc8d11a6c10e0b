/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"

#define MAX_DF 300 /* beyond, the normal distribution is close enough */
#define CONFIDENCE 0.95

/* ---- Student's distribution ---- */

/*
 * Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.3 and 26.7.4: the probability
 * that |T| < t, as a sum over the powers of cos(atan(t / sqrt(df))).
 */
double stats_two_sided(double t, u32 df)
{
	double angle, square, sum = 0, term = 1, inside;

	if (!df || df > MAX_DF)
		return erfc(fabs(t) / M_SQRT2);
	angle = atan(fabs(t) / sqrt(df));
	square = cos(angle) * cos(angle);
	for (u32 i = df % 2 + 1; i < df; i += 2) {
		sum += term;
		term *= square * i / (i + 1);
	}
	inside = sin(angle) * sum;
	if (df % 2)
		inside = M_2_PI * (angle + inside * cos(angle));
	return inside < 1 ? 1 - inside : 0;
}

/* Returns t such that |T| < t has the probability CONFIDENCE. */
static double quantile(u32 df)
{
	double low = 0, high = 1e3;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		*(stats_two_sided(middle, df) > 1 - CONFIDENCE ? &low : &high) = middle;
	}
	return high;
}

/* ---- one function ---- */

/* The variance of one sample, divided by the dispersion. */
static double unit_variance(double rate, bool is_share)
{
	return is_share ? rate * (1 - rate) : rate;
}

/* Adds a recording's sum of squared deviations, in units of the expected variance. */
static void add_deviations(const struct stats_side *s, bool is_share, double *sum, u32 *df)
{
	double rate = s->size > 0 ? s->n / s->size : 0, unit = unit_variance(rate, is_share);

	if (s->n_blocks < 2 || unit <= 0)
		return;
	*sum += (s->squares - s->n * rate) / unit;
	*df += s->n_blocks - 1;
}

struct stats_change stats_compare(const struct stats_side *before, const struct stats_side *after,
				  bool is_share)
{
	double one = before->denominator, two = after->denominator;
	double sum = 0, dispersion = 1, pooled, own;
	struct stats_change c = { .before = before->n / one, .after = after->n / two, .p = 1 };
	u32 df = 0;

	c.unit_variance = unit_variance((before->n + after->n) / (one + two), is_share);
	add_deviations(before, is_share, &sum, &df);
	add_deviations(after, is_share, &sum, &df);
	if (df && sum > df)
		dispersion = sum / df;
	pooled = dispersion * c.unit_variance * (1 / one + 1 / two);
	own = unit_variance(c.before, is_share) / one + unit_variance(c.after, is_share) / two;
	c.half_width = quantile(df) * sqrt(dispersion * fmax(own, 0));
	if (pooled > 0)
		c.p = stats_two_sided((c.after - c.before) / sqrt(pooled), df);
	return c;
}

/* ---- many functions ---- */

static int by_evidence(const void *a, const void *b)
{
	const struct stats_test *x = *(struct stats_test *const *)a;
	const struct stats_test *y = *(struct stats_test *const *)b;
	double left = x->p * y->weight, right = y->p * x->weight;

	return (left > right) - (left < right);
}

int stats_correct(struct stats_test *v, u32 n)
{
	_cleanup_free_ struct stats_test **order = calloc(n + 1ul, sizeof(*order));
	double rest = 0, least = 0;
	u32 n_tests = 0;

	if (!order)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++) {
		v[i].adjusted = 1;
		rest += v[i].weight;
		if (v[i].weight > 0)
			order[n_tests++] = &v[i];
	}
	qsort(order, n_tests, sizeof(*order), by_evidence);
	for (u32 i = 0; i < n_tests; i++) {
		least = fmax(least, order[i]->p * fmax(1, rest / order[i]->weight));
		order[i]->adjusted = fmin(1, least);
		rest -= order[i]->weight;
	}
	return 0;
}
