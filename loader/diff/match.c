/* SPDX-License-Identifier: BSD-2-Clause */
#include "match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "align.h"

/* A function of one profile. */
struct item {
	const struct function *function;
	u32 idx; /* in the caller's array */
	u32 match; /* position in the other side's items, or MATCH_NONE */
	u32 anchor; /* the enclosing function: its position in these items, or MATCH_NONE */
	bool is_anchor;
};

struct side {
	struct item *v; /* sorted by file, name and start */
	u32 n;
	u32 *by_start; /* positions in @v, sorted by file and start */
};

static void side_deinit(struct side *s)
{
	free(s->v);
	free(s->by_start);
}

static int by_place(const struct function *a, const struct function *b)
{
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->column > b->column) - (a->column < b->column);
}

static int by_file(const struct function *a, const struct function *b)
{
	if (a->has_file != b->has_file)
		return a->has_file ? -1 : 1;
	return strcmp(a->where, b->where);
}

/* An offset in one build of a module is another function in another build. */
static int by_own_name(const struct function *a, const struct function *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->build_id ?: "", b->build_id ?: "");
}

static int by_name(const struct function *a, const struct function *b)
{
	int order = by_file(a, b);

	return order ? order : by_own_name(a, b);
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = by_name(x->function, y->function);

	if (!order)
		order = by_place(x->function, y->function);
	return order ? order : (x->idx > y->idx) - (x->idx < y->idx);
}

static int compare_starts(const void *a, const void *b, void *items)
{
	const struct item *x = (struct item *)items + *(const u32 *)a;
	const struct item *y = (struct item *)items + *(const u32 *)b;
	int order = by_file(x->function, y->function);

	return order ? order : by_place(x->function, y->function);
}

static int side_init(struct side *s, const struct function *const *functions, u32 n)
{
	s->v = calloc(n + 1ul, sizeof(*s->v));
	s->by_start = calloc(n + 1ul, sizeof(*s->by_start));
	if (!s->v || !s->by_start)
		return -ENOMEM;
	for (s->n = 0; s->n < n; s->n++)
		s->v[s->n] = (struct item){ functions[s->n], s->n, MATCH_NONE, MATCH_NONE, false };
	qsort(s->v, n, sizeof(*s->v), compare_items);
	for (u32 i = 0; i < n; i++)
		s->by_start[i] = i;
	qsort_r(s->by_start, n, sizeof(*s->by_start), compare_starts, s->v);
	return 0;
}

/* Returns the end of the items that have the name and file of item @from. */
static u32 end_of_name(const struct side *s, u32 from)
{
	u32 to = from + 1;

	while (to < s->n && !by_name(s->v[from].function, s->v[to].function))
		to++;
	return to;
}

/*
 * Calls @fn for each name and file that both sides have, with the first item and the end of the
 * items on each side.
 */
static int for_each_name(struct side *a, struct side *b,
			 int (*fn)(struct side *a, u32 a_from, u32 a_to, struct side *b, u32 b_from,
				   u32 b_to))
{
	u32 i = 0, k = 0;
	int err = 0;

	while (err == 0 && i < a->n && k < b->n) {
		int order = by_name(a->v[i].function, b->v[k].function);
		u32 i_end = end_of_name(a, i), k_end = end_of_name(b, k);

		if (order == 0)
			err = fn(a, i, i_end, b, k, k_end);
		i = order <= 0 ? i_end : i;
		k = order >= 0 ? k_end : k;
	}
	return err;
}

static void match_items(struct side *a, u32 i, struct side *b, u32 k)
{
	a->v[i].match = k;
	b->v[k].match = i;
}

/* Matches functions that have names of their own; those that have a file become anchors. */
static int match_unique(struct side *a, u32 a_from, u32 a_to, struct side *b, u32 b_from, u32 b_to)
{
	const struct function *f = a->v[a_from].function;

	if (a_to - a_from > 1 || b_to - b_from > 1 || function_is_nameless(f))
		return 0;
	match_items(a, a_from, b, b_from);
	a->v[a_from].is_anchor = b->v[b_from].is_anchor = f->has_file;
	return 0;
}

static void find_anchors(struct side *s)
{
	u32 anchor = MATCH_NONE;

	for (u32 i = 0; i < s->n; i++) {
		struct item *item = &s->v[s->by_start[i]];

		if (anchor != MATCH_NONE && by_file(s->v[anchor].function, item->function))
			anchor = MATCH_NONE;
		item->anchor = anchor;
		if (item->is_anchor)
			anchor = s->by_start[i];
	}
}

/* Returns the place of an item relative to the enclosing function. */
static struct align_place place_of(const struct side *s, const struct item *item)
{
	struct align_place place = { item->function->line, item->function->column };
	const struct function *anchor;

	if (item->anchor == MATCH_NONE)
		return place;
	anchor = s->v[item->anchor].function;
	if (place.line == anchor->line)
		place.column -= anchor->column;
	place.line -= anchor->line;
	return place;
}

/* Are two items in the same enclosing function? */
static bool is_same_anchor(const struct item *x, const struct side *b, const struct item *y)
{
	if (x->anchor == MATCH_NONE || y->anchor == MATCH_NONE)
		return x->anchor == y->anchor;
	return b->v[y->anchor].match == x->anchor;
}

/* Matches items [@i, @i + @n) with @m items of the other side from @k on; @n is at most @m. */
static int align_items(struct side *a, u32 i, u32 n, struct side *b, u32 k, u32 m)
{
	_cleanup_free_ struct align_place *places = calloc(n + (size_t)m, sizeof(*places));
	_cleanup_free_ u32 *match = calloc(n, sizeof(*match));
	int err = -ENOMEM;

	if (places && match) {
		for (u32 x = 0; x < n; x++)
			places[x] = place_of(a, &a->v[i + x]);
		for (u32 x = 0; x < m; x++)
			places[n + x] = place_of(b, &b->v[k + x]);
		err = align(places, n, places + n, m, match);
	}
	for (u32 x = 0; err == 0 && x < n; x++)
		match_items(a, i + x, b, k + match[x]);
	return err;
}

static u32 end_of_anchor(const struct side *s, u32 from, u32 end)
{
	u32 to = from;

	while (to < end && s->v[to].anchor == s->v[from].anchor)
		to++;
	return to;
}

/* Matches functions that share a name and a file, one enclosing function after another. */
static int match_repeated(struct side *a, u32 a_from, u32 a_to, struct side *b, u32 b_from,
			  u32 b_to)
{
	int err = 0;

	if (a->v[a_from].match != MATCH_NONE)
		return 0;
	for (u32 i = a_from, i_end; err == 0 && i < a_to; i = i_end) {
		u32 k = b_from, k_end;

		i_end = end_of_anchor(a, i, a_to);
		while (k < b_to && !is_same_anchor(&a->v[i], b, &b->v[k]))
			k++;
		if (k == b_to)
			continue;
		k_end = end_of_anchor(b, k, b_to);
		err = i_end - i <= k_end - k ? align_items(a, i, i_end - i, b, k, k_end - k)
					     : align_items(b, k, k_end - k, a, i, i_end - i);
	}
	return err;
}

/* ---- functions that have a file in one profile only ---- */

static int by_module(const struct function *a, const struct function *b)
{
	int order = strcmp(a->module, b->module);

	return order ? order : by_own_name(a, b);
}

static int compare_modules(const void *a, const void *b, void *items)
{
	const struct item *v = items;

	return by_module(v[*(const u32 *)a].function, v[*(const u32 *)b].function);
}

/* Puts the items without a match, sorted by module and name, in by_start. Returns their number. */
static u32 sort_by_module(struct side *s)
{
	u32 n = 0;

	for (u32 i = 0; i < s->n; i++)
		if (s->v[i].match == MATCH_NONE && s->v[i].function->module &&
		    !function_is_nameless(s->v[i].function))
			s->by_start[n++] = i;
	qsort_r(s->by_start, n, sizeof(*s->by_start), compare_modules, s->v);
	return n;
}

/* Returns the end of the items that have the module and name of the one at @from. */
static u32 end_of_module(const struct side *s, u32 from, u32 n)
{
	u32 to = from + 1;

	while (to < n && !compare_modules(&s->by_start[from], &s->by_start[to], s->v))
		to++;
	return to;
}

/* Only functions of which one has a file and the other has none; the names must be unique. */
static void match_modules(struct side *a, struct side *b)
{
	u32 n = sort_by_module(a), m = sort_by_module(b), i = 0, k = 0;

	while (i < n && k < m) {
		const struct function *x = a->v[a->by_start[i]].function;
		const struct function *y = b->v[b->by_start[k]].function;
		u32 i_end = end_of_module(a, i, n), k_end = end_of_module(b, k, m);
		int order = by_module(x, y);

		if (!order && i_end - i == 1 && k_end - k == 1 && x->has_file != y->has_file)
			match_items(a, a->by_start[i], b, b->by_start[k]);
		i = order <= 0 ? i_end : i;
		k = order >= 0 ? k_end : k;
	}
}

static void put_pairs(const struct side *a, const struct side *b, struct match_pair *pairs, u32 *n)
{
	*n = 0;
	for (u32 i = 0; i < a->n; i++) {
		u32 k = a->v[i].match;

		pairs[(*n)++] = (struct match_pair){ a->v[i].idx,
						     k == MATCH_NONE ? MATCH_NONE : b->v[k].idx };
	}
	for (u32 k = 0; k < b->n; k++)
		if (b->v[k].match == MATCH_NONE)
			pairs[(*n)++] = (struct match_pair){ MATCH_NONE, b->v[k].idx };
}

int match_functions(const struct function *const *before, u32 n_before,
		    const struct function *const *after, u32 n_after, struct match_pair **pairs,
		    u32 *n)
{
	_cleanup_(side_deinit) struct side a = { 0 }, b = { 0 };
	struct match_pair *out;
	int err = side_init(&a, before, n_before);

	if (err == 0)
		err = side_init(&b, after, n_after);
	if (err == 0)
		err = for_each_name(&a, &b, match_unique);
	if (err < 0)
		return err;
	find_anchors(&a);
	find_anchors(&b);
	err = for_each_name(&a, &b, match_repeated);
	if (err < 0)
		return err;
	match_modules(&a, &b);
	out = calloc((size_t)n_before + n_after + 1, sizeof(*out));
	if (!out)
		return -ENOMEM;
	put_pairs(&a, &b, out, n);
	*pairs = out;
	return 0;
}
