/* SPDX-License-Identifier: BSD-2-Clause */
#include "print.h"

#include <math.h>

u32 diff_n_printed(const struct diff *d, const struct diff_print *print)
{
	u32 n = print->is_all ? d->n : d->n_changed;

	return print->top && print->top < n ? print->top : n;
}

const char *diff_number(char text[DIFF_NUMBER_LEN], const struct diff *d, double value,
			bool has_sign)
{
	double size = fabs(value);
	int decimals = d->per == DIFF_PER_SAMPLES || size >= 100 ? 1 : size >= 10 ? 2 : 3;

	snprintf(text, DIFF_NUMBER_LEN, has_sign ? "%+.*f" : "%.*f", decimals, value);
	return text;
}

void diff_print_verdict(FILE *out, const struct diff *d)
{
	const char *s = d->n == 1 ? "" : "s";

	if (!d->n_changed)
		fprintf(out, "no difference: no change of %u function%s is beyond noise\n", d->n,
			s);
	else
		fprintf(out, "%u of %u function%s changed beyond noise\n", d->n_changed, d->n, s);
}

void diff_print_rest(FILE *out, const struct diff *d, u32 n)
{
	u32 rest = n < d->n_changed ? d->n_changed - n : 0;

	if (rest)
		fprintf(out, "\n%u more function%s changed; --top prints more rows\n", rest,
			rest == 1 ? "" : "s");
}

const char *diff_heading(const struct diff *d)
{
	static const char *const headings[] = {
		[DIFF_PER_SAMPLES] = "% of CPU time, before -> after",
		[DIFF_PER_SECONDS] = "ms of CPU time per second, before -> after",
		[DIFF_PER_UNITS] = "ms of CPU time per unit, before -> after",
	};

	return headings[d->per];
}
