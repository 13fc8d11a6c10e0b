/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Searches a std::map of libstdc++ in another process. Private to inspect/v8. */

#include "v8_object.h"

/* std::_Rb_tree_node and the pair in it. */
struct v8_tree_node {
	u64 color, parent, left, right, key, value[2];
};

struct v8_tree_header {
	u64 color, root, first, last, count;
};

/* Finds the node with the greatest key up to @key. Returns 0, -ENOENT or the error of a read. */
int v8_tree_find(struct v8_heap *h, u64 root, u64 key, struct v8_tree_node *best);

/* Is the tree's header the parent of the root? */
bool v8_is_tree(struct v8_heap *h, u64 header_addr, u64 root, struct v8_tree_node *node);
