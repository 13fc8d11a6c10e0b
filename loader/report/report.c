/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The sections of a report. The default report contains the application function with the
 * most time, a call tree of the application, all functions by self, and the time of processes
 * and threads.
 */

#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "cell.h"
#include "section.h"
#include "title.h"

#define N_ROWS 25
#define N_TREE_ROWS 15
#define N_THREADS 8
#define MAX_SECTIONS 6
#define N_AWAITED 10

const char *const report_format_names[REPORT_N_FORMATS] = {
	[REPORT_TEXT] = "text",
	[REPORT_JSON] = "json",
	[REPORT_MARKDOWN] = "markdown",
	[REPORT_CSV] = "csv",
};

struct answers {
	struct section v[MAX_SECTIONS];
	u32 n;
};

static void answers_deinit(struct answers *a)
{
	for (u32 i = 0; i < a->n; i++)
		query_result_free(&a->v[i].result);
}

static int ask(struct answers *a, const struct prof_data *d, const struct section *s, u32 top)
{
	struct section *to = &a->v[a->n];
	int err;

	*to = *s;
	to->samples = d->samples;
	err = query_run(d, &to->query, &to->result);
	if (err < 0)
		return err;
	a->n++;
	return query_result_trim(&to->result, &to->query, top);
}

static int ask_default(struct answers *a, const struct prof_data *d, const struct report_options *o)
{
	const struct {
		struct section section;
		u32 top;
	} all[MAX_SECTIONS] = {
		{ { .id = "hottest", .title = "your code", .query = { .only = QUERY_APP } }, 1 },
		{ { .id = "tree",
		    .title = "your code",
		    .query = { .shape = QUERY_TREE, .only = QUERY_APP } },
		  o->top ? o->top : N_TREE_ROWS },
		{ { .id = "functions", .title = "function" }, o->top ? o->top : N_ROWS },
		{ { .id = "awaited", .title = "awaited", .query = { .shape = QUERY_AWAITED } },
		  o->top ? o->top : N_AWAITED },
		{ { .id = "processes", .title = "process", .query = { .by = QUERY_BY_PROCESS } },
		  N_THREADS },
		{ { .id = "threads", .title = "thread", .query = { .by = QUERY_BY_THREAD } },
		  N_THREADS },
	};
	int err = 0;

	for (u32 i = 0; err == 0 && i < MAX_SECTIONS; i++) {
		struct section s = all[i].section;

		s.query.grep = o->query.grep;
		err = ask(a, d, &s, all[i].top);
	}
	return err;
}

static int ask_one(struct answers *a, const struct prof_data *d, const struct report_options *o)
{
	static const char *const ids[] = {
		[QUERY_FLAT] = NULL,	     [QUERY_TREE] = "tree",
		[QUERY_CALLERS] = "callers", [QUERY_CALLEES] = "callees",
		[QUERY_AWAITED] = "awaited",
	};
	const char *by = query_by_names[o->query.by];
	struct section s = { .id = ids[o->query.shape] ? ids[o->query.shape] : by,
			     .title = by,
			     .query = o->query };

	return ask(a, d, &s, o->top ? o->top : o->format == REPORT_TEXT ? N_ROWS : 0);
}

static int print_hottest(FILE *out, const struct section *s)
{
	const struct query_row *row = s->result.rows;
	_cleanup_free_ char *name = NULL, *where = NULL;

	if (!s->result.n) {
		fputs("your code: used no CPU time\n", out);
		return 0;
	}
	name = cell_escape(row->name);
	where = cell_escape(row->where);
	if (!name || !where)
		return -ENOMEM;
	fprintf(out, "your code: %.1f %% in %s  %s\n", section_percent(row->self, s->samples), name,
		where);
	return 0;
}

/* The title already states a single process or thread. */
static bool is_worth_it(const struct section *s)
{
	bool is_of_title = s->query.by == QUERY_BY_PROCESS || s->query.by == QUERY_BY_THREAD;

	return s->result.n > is_of_title;
}

/* Section 0 is one line and section 1 a tree; section 2 is printed even if it is empty. */
static int print_text(FILE *out, const struct answers *a, u32 width)
{
	int err = print_hottest(out, &a->v[0]);
	bool has_gap = false;

	for (u32 i = 1; err == 0 && i < a->n; i++) {
		if (i != 2 && !is_worth_it(&a->v[i]))
			continue;
		if (has_gap)
			putc('\n', out);
		err = section_text(out, &a->v[i], width);
		has_gap = true;
	}
	return err;
}

static int print_answers(FILE *out, const struct prof_data *d, const struct answers *a,
			 const struct report_options *o)
{
	u32 width = o->width ? o->width : report_width(out);
	int err = 0;

	if (o->format == REPORT_JSON)
		return sections_json(out, d, a->v, a->n);
	if (o->format == REPORT_CSV)
		fputs("section,depth,self,total,name,where\r\n", out);
	else
		title_print(out, d);
	if (o->format == REPORT_TEXT && o->is_question && o->query.by == QUERY_BY_LINE &&
	    o->query.shape == QUERY_FLAT && o->query.function)
		return section_lines(out, a->v);
	if (o->format == REPORT_TEXT)
		return o->is_question ? section_text(out, a->v, width) : print_text(out, a, width);
	for (u32 i = 0; err == 0 && i < a->n; i++)
		err = o->format == REPORT_CSV ? section_csv(out, &a->v[i])
					      : section_markdown(out, &a->v[i]);
	return err;
}

u32 report_width(FILE *out)
{
	struct winsize size;
	int fd = fileno(out);

	if (fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return REPORT_UNLIMITED;
}

int report_print(FILE *out, struct prof_reader *in, const struct report_options *options)
{
	_cleanup_(data_free) struct prof_data *d = NULL;
	_cleanup_(answers_deinit) struct answers a = { 0 };
	int err = data_read_span(in, &options->span, &d);

	if (err == 0)
		err = options->is_question ? ask_one(&a, d, options) : ask_default(&a, d, options);
	if (err == 0)
		err = print_answers(out, d, &a, options);
	if (err < 0)
		return err;
	if (fflush(out) != 0 || ferror(out))
		return errno ? -errno : -EIO;
	return d->samples ? 0 : -ENODATA;
}
