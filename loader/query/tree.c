/* SPDX-License-Identifier: BSD-2-Clause */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"

#define TREE_LIMIT (256u << 20)

struct edge {
	u32 parent, group;
};

void tree_init(struct tree *t)
{
	*t = (struct tree){ 0 };
	intern_init(&t->edges, TREE_LIMIT);
}

void tree_deinit(struct tree *t)
{
	free(t->v);
	intern_deinit(&t->edges);
}

static int node_of(struct tree *t, u32 parent, u32 group, u32 depth, u32 *idx)
{
	struct edge edge = { parent, group };
	int r = intern_add(&t->edges, &edge, sizeof(edge), idx);
	u32 *list;

	if (r < 1)
		return r;
	if (array_reserve(t->v, t->room, t->n + 1))
		return -ENOMEM;
	list = parent ? &t->v[parent - 1].first_child : &t->first;
	t->v[t->n++] = (struct tree_node){ .group = group, .depth = depth, .next = *list };
	*list = t->n;
	return 0;
}

int tree_add(struct tree *t, const u32 *groups, u32 n, u64 count, bool self, enum origin leaf)
{
	u32 parent = 0, idx = 0;

	for (u32 i = 0; i < n; i++, parent = idx + 1) {
		int r = node_of(t, parent, groups[i], i, &idx);

		if (r < 0)
			return r;
		t->v[idx].total += count;
	}
	if (n && self) {
		t->v[idx].self += count;
		t->v[idx].of_origin[leaf] += count;
	}
	return 0;
}

void tree_add_self(struct tree *t, u32 group, u64 count, enum origin leaf)
{
	u32 i = t->first;

	while (i && t->v[i - 1].group != group)
		i = t->v[i - 1].next;
	if (!i)
		return;
	t->v[i - 1].self += count;
	t->v[i - 1].of_origin[leaf] += count;
}

static int compare(const void *a, const void *b, void *nodes)
{
	const struct tree_node *v = nodes, *x = &v[*(const u32 *)a], *y = &v[*(const u32 *)b];

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->group < y->group ? -1 : 1;
}

u32 *tree_walk(const struct tree *t)
{
	_cleanup_free_ u32 *order = calloc(t->n + 1ul, sizeof(u32));
	_cleanup_free_ u32 *stack = calloc(t->n + 1ul, sizeof(u32));
	u32 n = 0, n_stack = 0, next = t->first;

	if (!order || !stack)
		return NULL;
	for (;;) {
		u32 n_before = n_stack;

		for (; next; next = t->v[next - 1].next)
			stack[n_stack++] = next - 1;
		/* Nodes are popped in reverse order, so they are pushed in reverse order. */
		if (n_stack > n_before)
			qsort_r(stack + n_before, n_stack - n_before, sizeof(*stack), compare,
				t->v);
		for (u32 i = n_before, k = n_stack; i + 1 < k; i++) {
			u32 other = stack[i];

			stack[i] = stack[--k];
			stack[k] = other;
		}
		if (!n_stack)
			break;
		order[n] = stack[--n_stack];
		next = t->v[order[n++]].first_child;
	}
	return TAKE_PTR(order);
}
