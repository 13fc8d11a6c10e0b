/* SPDX-License-Identifier: BSD-2-Clause */

/* Writes a table of GitHub's Markdown, for a comment on a pull request. */

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"
#include "../report/cell.h"
#include "print.h"

/* Changes beyond noise are bold. */
static void put_value(FILE *out, const struct diff *d, const struct diff_value *v)
{
	const char *bold = v->is_beyond_noise ? "**" : "";
	char before[DIFF_NUMBER_LEN], after[DIFF_NUMBER_LEN], change[DIFF_NUMBER_LEN];
	char half[DIFF_NUMBER_LEN];

	fprintf(out, "%s -> %s | %s%s ± %s%s | ", diff_number(before, d, v->before, false),
		diff_number(after, d, v->after, false), bold,
		diff_number(change, d, v->after - v->before, true),
		diff_number(half, d, v->half_width, false), bold);
}

static int put_row(FILE *out, const struct diff *d, const struct diff_row *row)
{
	_cleanup_free_ char *place = diff_row_place(row);
	int err;

	fputs("| ", out);
	put_value(out, d, &row->self);
	put_value(out, d, &row->total);
	err = cell_print_markdown(out, diff_row_name(row));
	fputs(" | ", out);
	if (err == 0)
		err = place ? cell_print_markdown(out, place) : -ENOMEM;
	fputs(" |\n", out);
	return err;
}

int diff_print_markdown(FILE *out, const struct diff *d, const struct diff_print *print)
{
	u32 n = diff_n_printed(d, print);
	int err = cell_print_markdown(out, d->before->path);

	fputs(" -> ", out);
	if (err == 0)
		err = cell_print_markdown(out, d->after->path);
	fputs(": ", out);
	diff_print_verdict(out, d);
	for (u32 i = 0; err == 0 && i < DIFF_N_NOTES && d->notes[i]; i++) {
		fputs("\n", out);
		err = cell_print_markdown(out, d->notes[i]);
		fputs("\n", out);
	}
	if (n)
		fprintf(out,
			"\n%s; ±: 95 %% confidence\n\n"
			"| self: before -> after | change | total: before -> after | change | "
			"function "
			"| where |\n|--:|--:|--:|--:|:--|:--|\n",
			diff_heading(d));
	for (u32 i = 0; err == 0 && i < n; i++)
		err = put_row(out, d, &d->rows[i]);
	if (err == 0)
		diff_print_rest(out, d, n);
	return err;
}
