/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A tree of the paths of groups. Private to loader/query. */

#include "query_types.h"

struct tree_node {
	u32 group, depth;
	u32 first_child, next; /* index + 1; 0: none */
	u64 self, total;
	u64 of_origin[N_ORIGINS];
};

struct tree {
	struct tree_node *v;
	u32 n, room;
	u32 first; /* first root, index + 1 */
	struct intern edges; /* parent + 1, group */
};

void tree_init(struct tree *t);
void tree_deinit(struct tree *t);

/**
 * tree_add() - add the samples of a path to the tree
 * @groups:	the path, from the root
 * @self:	the samples are self samples of the last group; @leaf: origin of the leaf
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int tree_add(struct tree *t, const u32 *groups, u32 n, u64 count, bool self, enum origin leaf);

/* Adds self samples to a root. The root must exist. */
void tree_add_self(struct tree *t, u32 group, u64 count, enum origin leaf);

/*
 * Returns the nodes in preorder; the children of a node are sorted, the largest total first.
 * Free the result.
 */
u32 *tree_walk(const struct tree *t);
