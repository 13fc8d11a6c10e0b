/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Prints the result of a comparison. Names are escaped as for a terminal. */

#include <stdio.h>

#include "diff.h"

struct diff_print {
	bool is_all; /* also rows without a change beyond noise */
	u32 top; /* maximum number of rows; 0: no limit */
	u32 width; /* columns of text, or REPORT_UNLIMITED */
};

/* Each returns 0 or -ENOMEM, or the negative errno of a write. */
int diff_print_text(FILE *out, const struct diff *d, const struct diff_print *print);
int diff_print_markdown(FILE *out, const struct diff *d, const struct diff_print *print);
int diff_print_json(FILE *out, const struct diff *d, const struct diff_print *print);

/* ---- shared by the formats ---- */

#define DIFF_NUMBER_LEN 32

/* The number of rows to print. */
u32 diff_n_printed(const struct diff *d, const struct diff_print *print);

/* Writes a value, or a change with its sign, in the comparison's unit without naming it. */
const char *diff_number(char text[DIFF_NUMBER_LEN], const struct diff *d, double value,
			bool has_sign);

/* Prints how many functions changed: "no difference: ..." */
void diff_print_verdict(FILE *out, const struct diff *d);

/* Prints how many changed functions follow the @n printed rows, if any. */
void diff_print_rest(FILE *out, const struct diff *d, u32 n);

/* The heading of the values: "% of CPU time, before -> after" */
const char *diff_heading(const struct diff *d);
