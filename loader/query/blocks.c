/* SPDX-License-Identifier: BSD-2-Clause */
#include "blocks.h"

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"
#include "select.h"

#define US_PER_SECOND 1000000u

/* A sample. */
struct moment {
	u32 second; /* since the start of the recording */
	u32 cell;
};

/* The counts of one block, which is the current one. */
struct counter {
	const struct selection *selection;
	struct blocks *out; /* a row for each function, in the order of the functions */
	u64 *self, *total; /* samples of each function in the current block */
	u32 *touched; /* the functions that have samples in the current block */
	u32 n_touched;
	u32 *seen; /* number of the last path that has the function */
	u32 n_paths;
	u64 samples; /* of the current block */
	struct selection_path path;
};

static struct counter *counter_new(const struct selection *s, struct blocks *out)
{
	struct counter *c = calloc(1, sizeof(*c));
	size_t n = out->n + 1ul;

	if (!c)
		return NULL;
	c->selection = s;
	c->out = out;
	c->self = calloc(n, sizeof(u64));
	c->total = calloc(n, sizeof(u64));
	c->touched = calloc(n, sizeof(u32));
	c->seen = calloc(n, sizeof(u32));
	return c;
}

static void counter_free(struct counter **c)
{
	if (!*c)
		return;
	free((*c)->self);
	free((*c)->total);
	free((*c)->touched);
	free((*c)->seen);
	free(*c);
}

static void add_cell(struct counter *c, u32 cell, u64 n)
{
	struct selection_path *path = &c->path;

	c->samples += n;
	if (!selection_path(c->selection, cell, path))
		return;
	c->n_paths++;
	for (u32 i = 0; i < path->n; i++) {
		u32 group = path->groups[i];

		if (c->seen[group] == c->n_paths)
			continue; /* a recursive function counts once */
		c->seen[group] = c->n_paths;
		if (!c->total[group])
			c->touched[c->n_touched++] = group;
		c->total[group] += n;
	}
	if (path->n && path->has_self)
		c->self[path->groups[0]] += n;
}

static void add_count(struct block_count *to, u64 samples, double size)
{
	to->samples += samples;
	to->squares += size > 0 ? (double)samples * (double)samples / size : 0;
}

/* Ends the current block. */
static void end_block(struct counter *c, double size)
{
	for (u32 i = 0; i < c->n_touched; i++) {
		u32 group = c->touched[i];

		add_count(&c->out->rows[group].self, c->self[group], size);
		add_count(&c->out->rows[group].total, c->total[group], size);
		c->self[group] = c->total[group] = 0;
	}
	add_count(&c->out->all, c->samples, size);
	c->n_touched = 0;
	c->samples = 0;
}

/* Returns the number of blocks of a recording. The last block has 0.5 s to 1.5 s. */
static u32 n_blocks(double seconds)
{
	return seconds < 1.5 ? 1 : seconds > 1e9 ? 1000000000 : (u32)(seconds + 0.5);
}

static int by_second(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Returns all samples, sorted by second; free them. NULL: out of memory. */
static struct moment *moments_of(const struct prof_data *d)
{
	struct moment *v = calloc(d->n_list + 1ul, sizeof(*v));

	for (u32 i = 0; v && i < d->n_list; i++) {
		u64 second = d->list[i].t_us / US_PER_SECOND;

		v[i] = (struct moment){ second < ~0u ? (u32)second : ~0u, d->list[i].cell };
	}
	if (v)
		qsort(v, d->n_list, sizeof(*v), by_second);
	return v;
}

static bool have_times(const struct prof_data *d)
{
	for (u32 i = 0; i < d->n_list; i++)
		if (!d->list[i].has_time)
			return false;
	return true;
}

/* Adds the samples of one block from @from on. Returns the first sample behind it. */
static u32 add_block(struct counter *c, const struct moment *v, u32 from, u32 n, bool is_last)
{
	u32 i = from, same;

	while (i < n && (is_last || v[i].second == v[from].second)) {
		for (same = 1; i + same < n && !by_second(&v[i], &v[i + same]);)
			same++;
		add_cell(c, v[i].cell, same);
		i += same;
	}
	return i;
}

static int count_blocks(struct counter *c, const struct prof_data *d, enum blocks_size by)
{
	_cleanup_free_ struct moment *v = moments_of(d);
	struct blocks *out = c->out;
	u32 n = n_blocks(out->seconds);
	double last = out->seconds - (n - 1);
	double size;

	if (!v)
		return -ENOMEM;
	for (u32 i = 0; i < d->n_list;) {
		bool is_last = v[i].second >= n - 1;

		i = add_block(c, v, i, d->n_list, is_last);
		size = by == BLOCKS_BY_SAMPLES ? (double)c->samples : is_last ? last : 1;
		out->n_blocks++;
		end_block(c, size);
	}
	if (by == BLOCKS_BY_TIME)
		out->n_blocks = n;
	return 0;
}

static void count_cells(struct counter *c, const struct prof_data *d)
{
	for (u32 i = 0; i < d->n_cells; i++)
		add_cell(c, i, d->counts[i]);
	end_block(c, 0);
}

static void drop_unused(struct blocks *b)
{
	u32 n = 0;

	for (u32 i = 0; i < b->n; i++)
		if (b->rows[i].total.samples)
			b->rows[n++] = b->rows[i];
	b->n = n;
}

static int make_rows(struct blocks *b)
{
	const struct functions *f = &b->groups->functions;

	b->rows = calloc(f->n + 1ul, sizeof(*b->rows));
	if (!b->rows)
		return -ENOMEM;
	for (; b->n < f->n; b->n++)
		b->rows[b->n].function = &f->v[b->n];
	return 0;
}

int blocks_count(const struct prof_data *d, enum query_only only, enum blocks_size size,
		 struct blocks *blocks)
{
	_cleanup_(selection_deinit) struct selection s = { 0 };
	_cleanup_(counter_free) struct counter *c = NULL;
	int err;

	*blocks = (struct blocks){ 0 };
	err = groups_new(d, QUERY_BY_FUNCTION, &blocks->groups);
	if (err == 0)
		err = selection_init(d, &(struct query){ .only = only }, blocks->groups, &s);
	if (err == 0)
		err = make_rows(blocks);
	if (err < 0)
		return err;
	c = counter_new(&s, blocks);
	if (!c || !c->self || !c->total || !c->touched || !c->seen)
		return -ENOMEM;
	blocks->seconds = d->summary.duration_ns ? (double)d->summary.duration_ns / 1e9
						 : (double)d->last_t_us / 1e6;
	if (have_times(d))
		err = count_blocks(c, d, size);
	else
		count_cells(c, d);
	drop_unused(blocks);
	return err;
}

void blocks_deinit(struct blocks *blocks)
{
	free(blocks->rows);
	groups_free(&blocks->groups);
	*blocks = (struct blocks){ 0 };
}
