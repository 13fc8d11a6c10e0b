/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Paths of groups as a tree. Private to loader/query. */

#include "query_types.h"

struct tree_node {
	u32 group, depth;
	u32 first_child, next; /* + 1; 0: none */
	u64 self, total;
	u64 of_origin[N_ORIGINS];
};

struct tree {
	struct tree_node *v;
	u32 n, room;
	u32 first; /* root, + 1 */
	struct intern edges; /* parent + 1, group */
};

void tree_init(struct tree *t);
void tree_deinit(struct tree *t);

/**
 * tree_add() - count a path
 * @groups:	from the root
 * @self:	the last one's: of @leaf
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int tree_add(struct tree *t, const u32 *groups, u32 n, u64 count, bool self, enum origin leaf);

/* Count samples as a root's own. The root must be there. */
void tree_add_self(struct tree *t, u32 group, u64 count, enum origin leaf);

/* Children by total, the largest first. The nodes in order of a walk, parents first; to be freed.
 */
u32 *tree_walk(const struct tree *t);
