/* SPDX-License-Identifier: BSD-2-Clause */
#include "page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/text_stream.h"
#include "../report/cell.h"
#include "../report/report.h"
#include "../report/section.h"
#include "../report/title.h"

#define N_PROCESSES 5 /* rows of the processes above the functions */

const char *const top_table_names[TOP_N_TABLES] = {
	[TOP_FUNCTIONS] = "functions",
	[TOP_PROCESSES] = "processes",
	[TOP_THREADS] = "threads",
};

const char *const top_order_names[TOP_N_ORDERS] = {
	[TOP_BY_SELF] = "self",
	[TOP_BY_TOTAL] = "total",
	[TOP_BY_NAME] = "name",
};

struct drawing {
	struct top_page *page;
	const struct prof_data *data;
	u32 width;
	struct text_stream stream;
	FILE *out; /* text of the lines that follow */
};

/* ---- lines ---- */

static void forget(struct top_page *page)
{
	for (u32 i = 0; i < page->n; i++)
		free(page->v[i].text);
	page->n = page->n_rows = 0;
}

void top_page_deinit(struct top_page *page)
{
	forget(page);
	free(page->v);
	*page = (struct top_page){ 0 };
}

/* Adds escaped text as a line, cut to the width. */
static int add(struct drawing *d, const char *text, enum top_style style)
{
	struct top_page *page = d->page;
	char *line = cell_fit(text, d->width);

	if (!line || array_reserve(page->v, page->room, page->n + 1)) {
		free(line);
		return -ENOMEM;
	}
	page->v[page->n++] = (struct top_line){ line, style };
	return 0;
}

static int begin(struct drawing *d)
{
	d->out = text_stream_open(&d->stream);
	return d->out ? 0 : -ENOMEM;
}

/* Adds the lines printed since begin(). @first is the style of the first of them. */
static int end(struct drawing *d, enum top_style first, enum top_style others)
{
	_cleanup_free_ char *text = NULL;
	enum top_style style = first;
	char *at, *line;
	size_t len;
	int err = text_stream_close(&d->stream, d->out, &text, &len);

	for (at = text; !err && at && *at;) {
		line = strsep(&at, "\n");
		err = add(d, line, style);
		style = others;
	}
	return err;
}

/* ---- head and foot ---- */

/* Makes the part of the head that is never cut. */
static void make_tail(const struct prof_data *data, bool has_samples, char *tail, size_t size)
{
	const struct prof_summary *s = &data->summary;
	double seconds = (double)s->duration_ns / 1e9;
	char samples[32] = "";

	if (has_samples)
		snprintf(samples, sizeof(samples), "  %llu samples", s->samples);
	snprintf(tail, size, "  last %.0f s%s  %.2f CPUs", seconds, samples,
		 seconds > 0 && data->hz ? (double)s->samples / data->hz / seconds : 0);
}

/* Prints the name of the process or, if there are several, of the recording. */
static int print_name(FILE *out, const struct prof_data *data, const char *name)
{
	_cleanup_free_ char *escaped = cell_escape(name);

	if (!escaped)
		return -ENOMEM;
	if (data->n_pids == 1)
		title_process(out, data);
	else
		fprintf(out, "%s  (%u processes)", escaped, data->n_pids);
	return 0;
}

static int add_head(struct drawing *d, const char *name)
{
	_cleanup_free_ char *whole = NULL, *fitted = NULL;
	struct text_stream stream;
	FILE *out = text_stream_open(&stream);
	char tail[96];
	size_t len;
	int err;

	if (!out)
		return -ENOMEM;
	err = print_name(out, d->data, name);
	if (text_stream_close(&stream, out, &whole, &len) || err)
		return -ENOMEM;
	make_tail(d->data, true, tail, sizeof(tail));
	if (cell_width(whole) + strlen(tail) > d->width)
		make_tail(d->data, false, tail, sizeof(tail));
	fitted = cell_fit(whole, d->width > strlen(tail) ? d->width - (u32)strlen(tail) : 0);
	err = fitted ? begin(d) : -ENOMEM;
	if (err)
		return err;
	fprintf(d->out, "%s%s", fitted, tail);
	return end(d, TOP_HEAD, TOP_HEAD);
}

/* The largest share comes first, because the end of a long line is cut. */
static int add_activities(struct drawing *d)
{
	const struct prof_summary *s = &d->data->summary;
	bool is_printed[PROF_N_ACTIVITIES] = { 0 };
	const char *gap = "";
	int err = begin(d);

	if (err)
		return err;
	for (;;) {
		u32 best = PROF_N_ACTIVITIES;

		for (u32 i = 0; i < PROF_N_ACTIVITIES; i++)
			if (!is_printed[i] && s->by_activity[i] &&
			    (best == PROF_N_ACTIVITIES || s->by_activity[i] > s->by_activity[best]))
				best = i;
		if (best == PROF_N_ACTIVITIES)
			break;
		is_printed[best] = true;
		fprintf(d->out, "%s%s %.1f %%", gap, title_activities[best],
			section_percent(s->by_activity[best], s->samples));
		gap = "  ";
	}
	fputs(s->samples ? "\n" : "no sample\n", d->out);
	return end(d, TOP_HEAD, TOP_HEAD);
}

static int add_completeness(struct drawing *d)
{
	const struct prof_summary *s = &d->data->summary;
	u64 n[PROF_N_STATUSES] = { [PROF_COMPLETE] = s->complete };
	int err = begin(d);

	if (err)
		return err;
	for (u32 status = PROF_TRUNCATED; status < PROF_N_STATUSES; status++)
		for (u32 i = 0; i < s->reasons[status].n; i++)
			n[status] += s->reasons[status].reasons[i].count;
	for (u32 status = 0; status < PROF_N_STATUSES; status++)
		fprintf(d->out, "%s %.1f %%  ", prof_status_name(status),
			section_percent(n[status], s->samples));
	fprintf(d->out, "lost %llu\n", s->lost);
	return end(d, TOP_FOOT, TOP_FOOT);
}

/* ---- tables ---- */

static int by_name(const void *a, const void *b)
{
	const struct query_row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order || !x->where || !y->where ? order : strcmp(x->where, y->where);
}

static bool is_wanted(const struct query_row *row, const char *filter)
{
	return strcasestr(row->name, filter) || (row->where && strcasestr(row->where, filter));
}

static void keep_wanted(struct query_result *result, const char *filter)
{
	u32 n = 0;

	for (u32 i = 0; i < result->n; i++)
		if (is_wanted(&result->rows[i], filter))
			result->rows[n++] = result->rows[i];
	result->n = n;
}

/* Prints at most @rows rows, and sets *@n to the number of all rows. */
static int add_table(struct drawing *d, const struct top_choice *choice, u32 rows, u32 *n)
{
	static const enum query_by by[TOP_N_TABLES] = { QUERY_BY_FUNCTION, QUERY_BY_PROCESS,
							QUERY_BY_THREAD };
	static const char *const titles[TOP_N_TABLES] = { "function", "process", "thread" };
	struct section s = { .title = titles[choice->table], .samples = d->data->samples };
	struct query_result result;
	u32 skip;
	int err;

	s.query = (struct query){ .by = by[choice->table],
				  .by_total = choice->order == TOP_BY_TOTAL };
	err = query_run(d->data, &s.query, &result);
	if (err)
		return err;
	keep_wanted(&result, choice->filter);
	if (choice->order == TOP_BY_NAME)
		qsort(result.rows, result.n, sizeof(*result.rows), by_name);
	*n = result.n;
	skip = choice->skip < result.n ? choice->skip : result.n ? result.n - 1 : 0;
	s.result = result;
	s.result.rows += skip;
	s.result.n = result.n - skip < rows ? result.n - skip : rows;
	err = begin(d);
	if (!err)
		err = section_text(d->out, &s, d->width);
	if (!err)
		err = end(d, TOP_COLUMNS, TOP_PLAIN);
	else if (d->out)
		fclose(d->out);
	query_result_free(&result);
	return err;
}

/* Prints the busiest processes, if there are several, above the functions. */
static int add_processes(struct drawing *d, u32 *left)
{
	const struct top_choice choice = { .table = TOP_PROCESSES };
	u32 rows = *left / 3 < N_PROCESSES ? *left / 3 : N_PROCESSES, before = d->page->n, n;
	int err;

	if (d->data->n_pids < 2 || !rows)
		return 0;
	err = add_table(d, &choice, rows, &n);
	*left -= d->page->n - before;
	return err;
}

int top_page_make(struct top_page *page, const struct prof_data *window, const char *name,
		  const struct top_choice *choice, u32 width, u32 height, const char *foot)
{
	struct drawing d = { .page = page, .data = window, .width = width };
	u32 fixed = 4 + (foot != NULL), left = height > fixed ? height - fixed : 0;
	int err;

	forget(page);
	err = add_head(&d, name);
	if (!err)
		err = add_activities(&d);
	if (!err && choice->table == TOP_FUNCTIONS)
		err = add_processes(&d, &left);
	if (!err)
		err = add_table(&d, choice, choice->rows ? choice->rows : left, &page->n_rows);
	while (!err && foot && page->n + 2 < height)
		err = add(&d, "", TOP_PLAIN);
	if (!err)
		err = add_completeness(&d);
	return err || !foot ? err : add(&d, foot, TOP_FOOT);
}
