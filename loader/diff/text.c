/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	a.ndjson -> b.ndjson   % of CPU time, before -> after
 *	before: server.js  (node 24.21.0, pid 812)   30.0 s  2,931 samples at 99 Hz   0.98 CPUs
 *	after:  server.js  (node 24.21.0, pid 977)   30.0 s  2,940 samples at 99 Hz   0.98 CPUs
 *	2 of 87 functions changed beyond noise
 *
 *	           self         change           total         change   function  where
 *	  10.1 ->  15.3    +5.2 ±1.7*     41.0 -> 46.1    +5.1 ±2.5*   render    /srv/view.js:88
 *
 * An asterisk marks a change beyond noise.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../report/cell.h"
#include "../report/fit.h"
#include "../report/report.h"
#include "../report/title.h"
#include "print.h"

#define NUMBERS_WIDTH (2 * 35)
#define MIN_NAMES 24 /* columns of names and places on a narrow terminal */
#define MAX_PADDED 60

struct texts {
	char *name, *place;
};

static void texts_deinit(struct texts *t)
{
	free(t->name);
	free(t->place);
}

/* The caller frees @t, even on failure. */
static int texts_of(const struct diff_row *row, struct texts *t)
{
	_cleanup_free_ char *place = diff_row_place(row);

	t->name = cell_escape(diff_row_name(row));
	t->place = place ? cell_escape(place) : NULL;
	return t->name && t->place ? 0 : -ENOMEM;
}

static void print_value(FILE *out, const struct diff *d, const struct diff_value *v)
{
	char before[DIFF_NUMBER_LEN], after[DIFF_NUMBER_LEN], change[DIFF_NUMBER_LEN];
	char half[DIFF_NUMBER_LEN], range[DIFF_NUMBER_LEN + 4];

	snprintf(range, sizeof(range), "\xc2\xb1%s%s", diff_number(half, d, v->half_width, false),
		 v->is_beyond_noise ? "*" : "");
	fprintf(out, "%7s -> %6s %8s %-8s ", diff_number(before, d, v->before, false),
		diff_number(after, d, v->after, false),
		diff_number(change, d, v->after - v->before, true), range);
}

static int print_row(FILE *out, const struct diff *d, const struct diff_row *row, u32 names,
		     u32 places)
{
	_cleanup_(texts_deinit) struct texts t = { 0 };
	_cleanup_free_ char *fitted = NULL;
	bool is_cut = places != REPORT_UNLIMITED;
	int err = texts_of(row, &t);

	if (err == 0) {
		fitted = is_cut ? name_fit(t.name, names) : strdup(t.name);
		err = fitted ? 0 : -ENOMEM;
	}
	if (err < 0)
		return err;
	print_value(out, d, &row->self);
	print_value(out, d, &row->total);
	cell_print(out, fitted, is_cut ? names : REPORT_UNLIMITED, CELL_CUT_END, false);
	for (u32 i = cell_width(fitted); t.place[0] && i < names; i++)
		putc(' ', out);
	if (t.place[0]) {
		fputs("  ", out);
		cell_print(out, t.place, places, CELL_CUT_START, false);
	}
	putc('\n', out);
	return 0;
}

/* Sets the width of the column of names. */
static int name_width(const struct diff *d, u32 n, u32 room, u32 *width)
{
	u32 widest = sizeof("function") - 1,
	    most = room == REPORT_UNLIMITED ? MAX_PADDED : room / 2;

	for (u32 i = 0; i < n; i++) {
		_cleanup_(texts_deinit) struct texts t = { 0 };
		int err = texts_of(&d->rows[i], &t);

		if (err < 0)
			return err;
		widest = cell_width(t.name) > widest ? cell_width(t.name) : widest;
	}
	*width = widest < most ? widest : most;
	return 0;
}

static int print_rows(FILE *out, const struct diff *d, u32 n, u32 width)
{
	u32 room = REPORT_UNLIMITED, names = 0;
	int err;

	if (width != REPORT_UNLIMITED)
		room = width < NUMBERS_WIDTH + MIN_NAMES ? MIN_NAMES : width - NUMBERS_WIDTH;
	err = name_width(d, n, room, &names);
	if (err < 0)
		return err;
	fprintf(out, "\n%17s %16s %17s %16s  %-*s  where\n", "self", "change", "total", "change",
		(int)names, "function");
	for (u32 i = 0; err == 0 && i < n; i++)
		err = print_row(out, d, &d->rows[i], names,
				room == REPORT_UNLIMITED ? room : room - names - 2);
	return err;
}

static int print_path(FILE *out, const char *path)
{
	_cleanup_free_ char *safe = cell_escape(path);

	if (safe)
		fputs(safe, out);
	return safe ? 0 : -ENOMEM;
}

static int print_title(FILE *out, const struct diff *d)
{
	int err = print_path(out, d->before->path);

	fputs(" -> ", out);
	if (err == 0)
		err = print_path(out, d->after->path);
	fprintf(out, "   %s\nbefore: ", diff_heading(d));
	title_print_recording(out, d->before->data);
	fputs("after:  ", out);
	title_print_recording(out, d->after->data);
	return err;
}

int diff_print_text(FILE *out, const struct diff *d, const struct diff_print *print)
{
	u32 n = diff_n_printed(d, print);
	int err = print_title(out, d);

	diff_print_verdict(out, d);
	for (u32 i = 0; err == 0 && i < DIFF_N_NOTES && d->notes[i]; i++) {
		err = print_path(out, d->notes[i]);
		putc('\n', out);
	}
	if (err == 0 && n)
		err = print_rows(out, d, n, print->width);
	if (err == 0)
		diff_print_rest(out, d, n);
	return err;
}
