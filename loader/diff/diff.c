/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "match.h"
#include "stats.h"

void diff_side_deinit(struct diff_side *s)
{
	blocks_deinit(&s->blocks);
	data_free(&s->data);
}

void diff_deinit(struct diff *d)
{
	free(d->rows);
	for (u32 i = 0; i < DIFF_N_NOTES; i++)
		free(d->notes[i]);
	*d = (struct diff){ 0 };
}

/* ---- values ---- */

/* Returns the number that counts of a profile are divided by; 0: the profile lacks it. */
static double denominator(const struct diff_side *s, enum diff_per per)
{
	if (per == DIFF_PER_SAMPLES)
		return (double)s->data->samples;
	return s->data->hz * (per == DIFF_PER_SECONDS ? s->blocks.seconds : s->units);
}

static struct stats_side stats_of(const struct diff_side *s, enum diff_per per,
				  const struct block_count *count)
{
	bool is_share = per == DIFF_PER_SAMPLES;

	return (struct stats_side){ .n = (double)count->samples,
				    .squares = count->squares,
				    .size = is_share ? (double)s->data->samples : s->blocks.seconds,
				    .n_blocks = s->blocks.n_blocks,
				    .denominator = denominator(s, per) };
}

static const struct block_count no_samples;

/* Compares the counts of a function. Sets the value's p to that of this test alone. */
static struct diff_value value_of(const struct diff *d, const struct block_count *before,
				  const struct block_count *after)
{
	struct stats_side one = stats_of(d->before, d->per, before ? before : &no_samples);
	struct stats_side two = stats_of(d->after, d->per, after ? after : &no_samples);
	bool is_share = d->per == DIFF_PER_SAMPLES;
	struct stats_change c = stats_compare(&one, &two, is_share);
	double scale = is_share ? 100 : 1000;

	return (struct diff_value){ .before = scale * c.before,
				    .after = scale * c.after,
				    .half_width = scale * c.half_width,
				    .p = c.p,
				    .weight = c.unit_variance * c.unit_variance };
}

/* ---- rows ---- */

static void add_row(struct diff *d, const struct block_row *before, const struct block_row *after)
{
	d->rows[d->n++] = (struct diff_row){
		before ? before->function : NULL,
		after ? after->function : NULL,
		value_of(d, before ? &before->self : NULL, after ? &after->self : NULL),
		value_of(d, before ? &before->total : NULL, after ? &after->total : NULL),
	};
}

static const struct function **functions_of(const struct blocks *b)
{
	const struct function **v = calloc(b->n + 1ul, sizeof(*v));

	for (u32 i = 0; v && i < b->n; i++)
		v[i] = b->rows[i].function;
	return v;
}

static int make_rows(struct diff *d)
{
	const struct blocks *one = &d->before->blocks, *two = &d->after->blocks;
	_cleanup_free_ const struct function **before = functions_of(one);
	_cleanup_free_ const struct function **after = functions_of(two);
	_cleanup_free_ struct match_pair *pairs = NULL;
	u32 n = 0;
	int err = before && after ? match_functions(before, one->n, after, two->n, &pairs, &n)
				  : -ENOMEM;

	if (err < 0)
		return err;
	d->rows = calloc(n + 1ul, sizeof(*d->rows));
	if (!d->rows)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++)
		add_row(d, pairs[i].before == MATCH_NONE ? NULL : &one->rows[pairs[i].before],
			pairs[i].after == MATCH_NONE ? NULL : &two->rows[pairs[i].after]);
	if (d->per != DIFF_PER_SAMPLES)
		add_row(d, &(struct block_row){ .total = one->all },
			&(struct block_row){ .total = two->all });
	return 0;
}

/* ---- many functions ---- */

/* Adjusts the probabilities of one column for the number of rows. */
static int correct(struct diff *d, size_t column, double level)
{
	_cleanup_free_ struct stats_test *tests = calloc(d->n + 1ul, sizeof(*tests));
	int err;

	if (!tests)
		return -ENOMEM;
	for (u32 i = 0; i < d->n; i++) {
		const struct diff_value *v = (void *)((char *)&d->rows[i] + column);

		tests[i] = (struct stats_test){ .p = v->p, .weight = v->weight };
	}
	err = stats_correct(tests, d->n);
	for (u32 i = 0; err == 0 && i < d->n; i++) {
		struct diff_value *v = (void *)((char *)&d->rows[i] + column);

		v->p = tests[i].adjusted;
		v->is_beyond_noise = v->p <= level;
	}
	return err;
}

/* Return: whether self and total are the same samples, as they are in a function that calls
 * nothing. */
static bool has_only_self(const struct diff_row *row)
{
	return row->self.before == row->total.before && row->self.after == row->total.after;
}

/* Adjusts both columns. Self and total of a function that calls nothing are one test. */
static int correct_all(struct diff *d)
{
	int err = correct(d, offsetof(struct diff_row, self), DIFF_SELF_LEVEL);

	for (u32 i = 0; i < d->n; i++)
		if (has_only_self(&d->rows[i]))
			d->rows[i].total.weight = 0;
	if (err == 0)
		err = correct(d, offsetof(struct diff_row, total), DIFF_TOTAL_LEVEL);
	for (u32 i = 0; i < d->n; i++)
		if (has_only_self(&d->rows[i]))
			d->rows[i].total = d->rows[i].self;
	return err;
}

/* The size of a change. As float, changes that differ only by rounding are equal. */
static float size_of(const struct diff_value *v)
{
	return (float)fabs(v->after - v->before);
}

static int compare_rows(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	bool by_total = x->total.is_beyond_noise && !x->self.is_beyond_noise;
	const struct diff_value *v = by_total ? &x->total : &x->self;
	const struct diff_value *w = by_total ? &y->total : &y->self;

	if (x->self.is_beyond_noise != y->self.is_beyond_noise)
		return x->self.is_beyond_noise ? -1 : 1;
	if (x->total.is_beyond_noise != y->total.is_beyond_noise)
		return x->total.is_beyond_noise ? -1 : 1;
	if (size_of(v) != size_of(w))
		return size_of(v) < size_of(w) ? 1 : -1;
	if ((v->after > v->before) != (w->after > w->before))
		return v->after > v->before ? -1 : 1;
	return strcmp(diff_row_name(x), diff_row_name(y));
}

/* ---- notes ---- */

__attribute__((format(printf, 2, 3))) static int add_note(struct diff *d, const char *fmt, ...)
{
	va_list args;
	u32 i = 0;
	int len;

	while (d->notes[i])
		i++;
	va_start(args, fmt);
	len = vasprintf(&d->notes[i], fmt, args);
	va_end(args);
	if (len < 0)
		d->notes[i] = NULL;
	return len < 0 ? -ENOMEM : 0;
}

static bool has_whole_process_changed(const struct diff *d)
{
	for (u32 i = 0; i < d->n; i++)
		if (!d->rows[i].before && !d->rows[i].after)
			return d->rows[i].total.is_beyond_noise;
	return false;
}

#define MIN_BLOCKS 20 /* of both recordings together */

static int make_notes(struct diff *d)
{
	const struct diff_side *sides[] = { d->before, d->after };
	u32 n_blocks = d->before->blocks.n_blocks + d->after->blocks.n_blocks;
	u32 before_hz = d->before->data->hz, after_hz = d->after->data->hz;
	bool has_times = true;
	int err = 0;

	if (before_hz && after_hz && before_hz != after_hz)
		err = add_note(d,
			       "The sampling rates differ (%u Hz -> %u Hz): shares and times are "
			       "comparable, numbers of samples are not.",
			       before_hz, after_hz);
	for (u32 i = 0; err == 0 && i < 2; i++) {
		if (sides[i]->blocks.n_blocks)
			continue;
		has_times = false;
		err = add_note(d,
			       "%s has no sample times, so its samples are assumed to be "
			       "independent of one another.",
			       sides[i]->path);
	}
	if (err == 0 && has_times && n_blocks < MIN_BLOCKS)
		err = add_note(d,
			       "The recordings have together %u s of samples; with 20 s or more, "
			       "smaller changes are found.",
			       n_blocks);
	if (err == 0 && has_whole_process_changed(d))
		err = add_note(d, "The CPU time of the whole process changed; to compare shares of "
				  "it, use --per samples.");
	return err;
}

/* ---- all ---- */

int diff_make(struct diff_side *before, struct diff_side *after, enum query_only only,
	      enum diff_per per, struct diff *d)
{
	enum blocks_size size = per == DIFF_PER_SAMPLES ? BLOCKS_BY_SAMPLES : BLOCKS_BY_TIME;
	int err;

	*d = (struct diff){ .per = per, .before = before, .after = after };
	err = blocks_count(before->data, only, size, &before->blocks);
	if (err == 0)
		err = blocks_count(after->data, only, size, &after->blocks);
	if (err == 0 && (denominator(before, per) <= 0 || denominator(after, per) <= 0))
		err = -ENODATA;
	if (err == 0)
		err = make_rows(d);
	if (err == 0)
		err = correct_all(d);
	if (err == 0)
		err = make_notes(d);
	if (err < 0)
		return err;
	qsort(d->rows, d->n, sizeof(*d->rows), compare_rows);
	for (u32 i = 0; i < d->n; i++)
		d->n_changed += d->rows[i].self.is_beyond_noise || d->rows[i].total.is_beyond_noise;
	d->whole = per == DIFF_PER_SAMPLES
			   ? 100
			   : 1000 * (double)before->data->samples / denominator(before, per);
	return 0;
}

const char *diff_row_name(const struct diff_row *row)
{
	const struct function *f = row->after ? row->after : row->before;

	return f ? f->name : "(whole process)";
}

char *diff_row_place(const struct diff_row *row)
{
	const struct function *f = row->after ? row->after : row->before;

	return f ? function_place(f) : strdup("");
}

const char *diff_unit(const struct diff *d)
{
	static const char *const units[] = {
		[DIFF_PER_SAMPLES] = "%",
		[DIFF_PER_SECONDS] = "ms/s",
		[DIFF_PER_UNITS] = "ms per unit",
	};

	return units[d->per];
}

const struct diff_row *diff_worst(const struct diff *d, double percent,
				  const struct diff_value **value)
{
	double most = percent / 100 * d->whole;
	const struct diff_row *worst = NULL;

	for (u32 i = 0; i < d->n; i++) {
		const struct diff_value *values[] = { &d->rows[i].self, &d->rows[i].total };

		for (u32 k = 0; k < 2; k++) {
			double rise = values[k]->after - values[k]->before;

			if (!values[k]->is_beyond_noise || rise < most || (worst && rise == most))
				continue;
			worst = &d->rows[i];
			*value = values[k];
			most = rise;
		}
	}
	return worst;
}
