/* SPDX-License-Identifier: BSD-2-Clause */
#include "v8_tree.h"

#include <errno.h>

#define MAX_TREE_DEPTH 64

int v8_tree_find(struct v8_heap *h, u64 root, u64 key, struct v8_tree_node *best)
{
	struct v8_tree_node node;
	int r = -ENOENT, err;

	for (int i = 0; root && i < MAX_TREE_DEPTH; i++) {
		err = v8_read(h, root, &node, sizeof(node));
		if (err)
			return err;
		if (node.key <= key) {
			*best = node;
			r = 0;
		}
		root = node.key <= key ? node.right : node.left;
	}
	return r;
}

bool v8_is_tree(struct v8_heap *h, u64 header_addr, u64 root, struct v8_tree_node *node)
{
	return root && !(root & 7) && !v8_read(h, root, node, sizeof(*node)) &&
	       node->parent == header_addr;
}
