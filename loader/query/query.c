/* SPDX-License-Identifier: BSD-2-Clause */
#include "query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "select.h"
#include "tree.h"

const char *const query_by_names[QUERY_N_BY] = {
	[QUERY_BY_FUNCTION] = "function", [QUERY_BY_LINE] = "line",
	[QUERY_BY_FILE] = "file",	  [QUERY_BY_PACKAGE] = "package",
	[QUERY_BY_MODULE] = "module",	  [QUERY_BY_KIND] = "kind",
	[QUERY_BY_RUNTIME] = "runtime",	  [QUERY_BY_THREAD] = "thread",
	[QUERY_BY_PROCESS] = "process",
};

const char *const query_only_names[QUERY_N_ONLY] = {
	[QUERY_ALL] = "all",	   [QUERY_APP] = "app",	      [QUERY_JS] = "js",
	[QUERY_DOTNET] = "dotnet", [QUERY_NATIVE] = "native", [QUERY_KERNEL] = "kernel",
};

/* ---- flat: a row for each group ---- */

static void count(struct query_row *rows, u32 *seen, u32 cell, const struct selection_path *path)
{
	for (u32 i = 0; i < path->n; i++) {
		u32 group = path->groups[i];

		if (seen[group] != cell + 1)
			rows[group].total += path->count;
		seen[group] = cell + 1;
	}
	if (path->n && path->has_self) {
		rows[path->groups[0]].self += path->count;
		rows[path->groups[0]].of_origin[path->leaf] += path->count;
	}
}

static int by_text(const struct query_row *x, const struct query_row *y)
{
	int order = strcmp(x->name, y->name);

	return order || !x->where ? order : strcmp(x->where, y->where);
}

static int by_numbers(u64 a, u64 b, u64 more_a, u64 more_b)
{
	if (a != b)
		return a < b ? 1 : -1;
	return more_a == more_b ? 0 : more_a < more_b ? 1 : -1;
}

static int by_self(const void *a, const void *b)
{
	const struct query_row *x = a, *y = b;
	int order = by_numbers(x->self, y->self, x->total, y->total);

	return order ? order : by_text(x, y);
}

static int by_total(const void *a, const void *b)
{
	const struct query_row *x = a, *y = b;
	int order = by_numbers(x->total, y->total, x->self, y->self);

	return order ? order : by_text(x, y);
}

/*
 * Selects the groups with this exact name or, if there are none, groups whose name contains
 * it. NULL: no memory.
 */
static bool *called(const struct groups *g, const char *name, bool *is_any)
{
	bool *is_it = calloc(g->n + 1ul, sizeof(bool));

	*is_any = false;
	for (int part = 0; is_it && part < 2 && !*is_any; part++) {
		for (u32 i = 0; i < g->n; i++) {
			is_it[i] = part ? strstr(g->v[i].name, name) != NULL
					: strcmp(g->v[i].name, name) == 0;
			*is_any |= is_it[i];
		}
	}
	return is_it;
}

/* Drops groups that have no samples or that the query does not select. */
static void drop_rows(struct query_result *result, const bool *is_it)
{
	u32 n = 0;

	for (u32 i = 0; i < result->n; i++)
		if (result->rows[i].total && (!is_it || is_it[i]))
			result->rows[n++] = result->rows[i];
	result->n = n;
}

static int make_flat(const struct query *q, const struct selection *s, struct selection_path *path,
		     struct query_result *result)
{
	const struct groups *g = s->groups;
	_cleanup_free_ u32 *seen = calloc(g->n + 1ul, sizeof(u32));
	_cleanup_free_ bool *is_it = NULL;
	bool is_any = true;

	if (q->function) {
		is_it = called(g, q->function, &is_any);
		if (!is_it || !is_any)
			return is_it ? -ENOENT : -ENOMEM;
	}
	result->rows = calloc(g->n + 1ul, sizeof(*result->rows));
	if (!seen || !result->rows)
		return -ENOMEM;
	for (; result->n < g->n; result->n++) {
		result->rows[result->n].name = g->v[result->n].name;
		result->rows[result->n].where = g->v[result->n].where;
	}
	for (u32 i = 0; i < s->data->n_cells; i++) {
		if (!selection_path(s, i, path))
			continue;
		result->samples += path->count;
		count(result->rows, seen, i, path);
	}
	drop_rows(result, is_it);
	qsort(result->rows, result->n, sizeof(*result->rows), q->by_total ? by_total : by_self);
	return 0;
}

/* ---- trees ---- */

static void turn(u32 *v, u32 n)
{
	for (u32 i = 0; i + 1 < n; i++, n--) {
		u32 other = v[i];

		v[i] = v[n - 1];
		v[n - 1] = other;
	}
}

/*
 * Cuts the path so that it begins at the root of the tree. Returns false if the function is
 * not in the path.
 */
static bool begin_path(const struct query *q, const bool *is_it, struct selection_path *path)
{
	u32 i = 0;

	if (q->shape == QUERY_CALLERS) {
		while (i < path->n && !is_it[path->groups[i]])
			i++;
		path->has_self &= i == 0;
		path->n -= i;
		memmove(path->groups, path->groups + i, path->n * sizeof(*path->groups));
		return path->n;
	}
	while (path->n && is_it && !is_it[path->groups[path->n - 1]])
		path->n--;
	turn(path->groups, path->n);
	return path->n;
}

/* The function's own samples count as self only for the function, not for its callers. */
static int add_path(struct tree *t, const struct query *q, const struct selection_path *path)
{
	if (q->shape != QUERY_CALLERS)
		return tree_add(t, path->groups, path->n, path->count, path->has_self, path->leaf);

	int err = tree_add(t, path->groups, path->n, path->count, false, path->leaf);

	if (err == 0 && path->has_self)
		tree_add_self(t, path->groups[0], path->count, path->leaf);
	return err;
}

static bool path_of(const struct query *q, const struct selection *s, u32 cell, const bool *is_it,
		    struct selection_path *path)
{
	if (q->shape == QUERY_AWAITED)
		return selection_awaited(s, cell, path);
	return selection_path(s, cell, path) && begin_path(q, is_it, path);
}

static int fill_tree(const struct query *q, const struct selection *s, struct selection_path *path,
		     struct tree *t, u64 *samples)
{
	_cleanup_free_ bool *is_it = NULL;
	bool is_any = true;
	int err = 0;

	if (q->shape == QUERY_CALLERS || q->shape == QUERY_CALLEES) {
		is_it = called(s->groups, q->function, &is_any);
		if (!is_it || !is_any)
			return is_it ? -ENOENT : -ENOMEM;
	}
	for (u32 i = 0; err == 0 && i < s->data->n_cells; i++) {
		if (!path_of(q, s, i, is_it, path))
			continue;
		*samples += path->count;
		err = add_path(t, q, path);
	}
	return err;
}

static int make_tree(const struct query *q, const struct selection *s, struct selection_path *path,
		     struct query_result *result)
{
	_cleanup_(tree_deinit) struct tree t;
	_cleanup_free_ u32 *order = NULL;
	int err;

	tree_init(&t);
	err = fill_tree(q, s, path, &t, &result->samples);
	if (err < 0)
		return err;
	order = tree_walk(&t);
	result->rows = calloc(t.n + 1ul, sizeof(*result->rows));
	if (!order || !result->rows)
		return -ENOMEM;
	for (; result->n < t.n; result->n++) {
		const struct tree_node *node = &t.v[order[result->n]];
		const struct group *g = &s->groups->v[node->group];
		struct query_row *row = &result->rows[result->n];

		*row = (struct query_row){ node->depth, node->self, node->total,
					   { 0 },	g->name,    g->where };
		memcpy(row->of_origin, node->of_origin, sizeof(row->of_origin));
	}
	return 0;
}

/* ---- all ---- */

int query_run(const struct prof_data *d, const struct query *q, struct query_result *result)
{
	_cleanup_free_ struct selection_path *path = malloc(sizeof(*path));
	_cleanup_(query_result_free) struct query_result out = { 0 };
	_cleanup_(selection_deinit) struct selection s = { 0 };
	int err = path ? groups_new(d, q->by, &out.groups) : -ENOMEM;

	if (err == 0)
		err = selection_init(d, q, out.groups, &s);
	if (err == 0)
		err = q->shape == QUERY_FLAT ? make_flat(q, &s, path, &out)
					     : make_tree(q, &s, path, &out);
	if (err < 0)
		return err;
	*result = out;
	out = (struct query_result){ 0 };
	return 0;
}

void query_result_free(struct query_result *result)
{
	free(result->rows);
	groups_free(&result->groups);
	*result = (struct query_result){ 0 };
}

static int largest_first(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/*
 * If rows with equal totals compete for the last places, keeps the first of these rows,
 * because a parent precedes its children.
 */
static int trim_tree(struct query_result *result, u32 top)
{
	_cleanup_free_ u64 *totals = calloc(result->n + 1ul, sizeof(u64));
	u32 n = 0, n_smallest = top;

	if (!totals)
		return -ENOMEM;
	for (u32 i = 0; i < result->n; i++)
		totals[i] = result->rows[i].total;
	qsort(totals, result->n, sizeof(u64), largest_first);
	for (u32 i = 0; i < top; i++)
		n_smallest -= totals[i] > totals[top - 1];
	for (u32 i = 0; i < result->n; i++) {
		const struct query_row *row = &result->rows[i];

		if (row->total < totals[top - 1] || (row->total == totals[top - 1] && !n_smallest))
			continue;
		n_smallest -= row->total == totals[top - 1];
		result->rows[n++] = *row;
	}
	return 0;
}

int query_result_trim(struct query_result *result, const struct query *q, u32 top)
{
	int err = 0;

	if (!top || top >= result->n)
		return 0;
	if (q->shape != QUERY_FLAT)
		err = trim_tree(result, top);
	result->n = err < 0 ? result->n : top;
	return err;
}
