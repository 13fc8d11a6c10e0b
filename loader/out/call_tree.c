/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_tree.h"

#include <string.h>

#define TREE_LIMIT (512u << 20)

void call_tree_init(struct call_tree *t)
{
	intern_init(&t->calls, TREE_LIMIT);
}

void call_tree_deinit(struct call_tree *t)
{
	intern_deinit(&t->calls);
}

int call_tree_add(struct call_tree *t, const u32 *path, u32 n, u32 *leaf)
{
	u32 at = CALL_ROOT;

	for (u32 i = 0; i < n; i++) {
		struct call call = { at, path[i] };
		int r = intern_add(&t->calls, &call, sizeof(call), &at);

		if (r < 0)
			return r;
	}
	*leaf = at;
	return 0;
}

u32 call_tree_n(const struct call_tree *t)
{
	return t->calls.n;
}

struct call call_tree_get(const struct call_tree *t, u32 i)
{
	struct call call;
	size_t len;

	memcpy(&call, intern_key(&t->calls, i, &len), sizeof(call));
	return call;
}
