// SPDX-License-Identifier: BSD-2-Clause

// The boxes of a tree that are visible: x from 0 to 1 over the whole tree, y by depth. A box that
// is narrower than MIN_WIDTH pixels is left out, with all its callees.

const MIN_WIDTH = 0.5;

/** The extent [from, to] of a node. */
export function extent(tree, node) {
	const all = tree.total[0] || 1,
		nodes = [];
	let from = 0;

	for (let at = node; at > 0; at = tree.parent[at]) nodes.push(at);
	for (const at of nodes)
		for (const sibling of tree.childrenOf(tree.parent[at])) {
			if (sibling === at) break;
			from += tree.total[sibling] / all;
		}
	return [from, from + (node ? tree.total[node] / all : 1)];
}

/**
 * Finds the boxes in the window [from, to], which is @width pixels wide.
 *
 * Returns { node, from, to, depth, n, maxDepth }; the first four are arrays of n elements, parents
 * before their children.
 */
export function layout(tree, [from, to], width) {
	const boxes = { node: [0], from: [0], to: [1], depth: [0], n: 1, maxDepth: 0 };
	const all = tree.total[0] || 1,
		least = (MIN_WIDTH / width) * (to - from);

	for (let i = 0; i < boxes.n; i++) {
		let x = boxes.from[i];

		for (const child of tree.childrenOf(boxes.node[i])) {
			const size = tree.total[child] / all,
				end = x + size;

			if (size < least || x >= to) break;
			if (end > from) {
				boxes.node.push(child);
				boxes.from.push(x);
				boxes.to.push(end);
				boxes.depth.push(boxes.depth[i] + 1);
				boxes.n++;
			}
			x = end;
		}
	}
	boxes.maxDepth = boxes.depth[boxes.n - 1];
	return boxes;
}

/** Returns the index of the box at this place; -1: none. */
export function boxAt(boxes, x, depth) {
	for (let i = 0; i < boxes.n; i++)
		if (boxes.depth[i] === depth && x >= boxes.from[i] && x < boxes.to[i]) return i;
	return -1;
}
