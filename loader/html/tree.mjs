// SPDX-License-Identifier: BSD-2-Clause

// A tree of the paths of all stacks. It is built once for each shape; filters only change the
// weights of stacks, so a new selection needs one pass over the stacks and one over the nodes.
//
//	down	from the roots to the leaves
//	up	from each leaf to the roots
//	callees	of a function: from its outermost call to the leaves
//	callers	of a function: from its innermost call to the roots
//
// Node 0 is the sum of all. A parent has a smaller number than its children.

const FREE = -1,
	MIXED = 255;

/** The edges (parent, function) of a tree: a hash table with open addressing. */
class Edges {
	constructor(tree) {
		this.tree = tree;
		this.slots = new Int32Array(1 << 12).fill(FREE);
	}

	slot(parent, fn) {
		const { slots, tree } = this,
			mask = slots.length - 1;
		let at = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(fn, 0x85ebca6b)) >>> 0;

		for (at = (at ^ (at >>> 15)) & mask; slots[at] !== FREE; at = (at + 1) & mask)
			if (tree.parent[slots[at]] === parent && tree.fn[slots[at]] === fn) break;
		return at;
	}

	grow() {
		this.slots = new Int32Array(this.slots.length * 2).fill(FREE);
		for (let node = 1; node < this.tree.n; node++)
			this.slots[this.slot(this.tree.parent[node], this.tree.fn[node])] = node;
	}

	/** Returns the child @fn of @parent, which is created if there is none. */
	child(parent, fn) {
		const at = this.slot(parent, fn),
			node = this.slots[at];

		if (node !== FREE) return node;
		this.slots[at] = this.tree.add(parent, fn);
		if (this.tree.n * 2 > this.slots.length) this.grow();
		return this.tree.n - 1;
	}
}

function larger(array) {
	const bigger = new array.constructor(array.length * 2);

	bigger.set(array);
	return bigger;
}

export class Tree {
	/** @shape: { kind: "down" | "up" | "callees" | "callers", fn, appOnly } */
	constructor(model, shape) {
		this.model = model;
		this.shape = shape;
		this.n = 0;
		this.parent = new Int32Array(1024);
		this.fn = new Int32Array(1024);
		this.depth = new Uint32Array(1024);
		this.marks = new Uint8Array(1024).fill(MIXED);
		this.tier = new Uint8Array(1024);
		this.endNode = new Int32Array(model.nStacks).fill(FREE);
		this.selfNode = new Int32Array(model.nStacks).fill(FREE);
		this.edges = new Edges(this);
		this.add(0, FREE);
		this.build();
		this.edges = null;
		this.linkChildren();
	}

	add(parent, fn) {
		if (this.n === this.parent.length)
			for (const key of ["parent", "fn", "depth", "marks", "tier"])
				this[key] = larger(this[key]);
		this.parent[this.n] = parent;
		this.fn[this.n] = fn;
		this.depth[this.n] = this.n ? this.depth[parent] + 1 : 0;
		this.marks[this.n] = MIXED;
		return this.n++;
	}

	/** A node keeps the marks that all its frames have, and the tier if all frames have the same. */
	mark(node, frame) {
		const { marks, tiers } = this.model;

		if (this.marks[node] === MIXED) this.tier[node] = tiers.of[frame];
		else if (this.tier[node] !== tiers.of[frame]) this.tier[node] = MIXED;
		this.marks[node] &= marks[frame];
	}

	build() {
		const { model, shape } = this,
			fns = [],
			frames = [];

		for (let stack = 0; stack < model.nStacks; stack++) {
			fns.length = frames.length = 0;
			model.path(stack, shape.appOnly, (fn, frame) => {
				fns.push(fn);
				frames.push(frame);
			});
			if (model.endOfStack[stack] >= 0) {
				fns.push(model.functions.length + model.endOfStack[stack]);
				frames.push(FREE);
			}
			this.addPath(stack, fns, frames);
		}
	}

	/** Adds a path, leaf first, or the part of it that the shape has. */
	addPath(stack, fns, frames) {
		const { kind, fn } = this.shape,
			hasSelf = fns.length > 0 && !this.model.isEnd(fns[0]);
		const isUp = kind === "up" || kind === "callers";
		let from = 0,
			to = fns.length,
			node = 0;

		if (kind === "callers") from = fns.indexOf(fn);
		else if (kind === "callees") to = fns.lastIndexOf(fn) + 1;
		if (from < 0 || (fn !== undefined && to === 0)) return;
		for (let i = 0; i < to - from; i++) {
			const at = isUp ? from + i : to - 1 - i;

			node = this.edges.child(node, fns[at]);
			if (frames[at] !== FREE) this.mark(node, frames[at]);
			if (isUp && i === 0 && hasSelf && from === 0) this.selfNode[stack] = node;
		}
		this.endNode[stack] = node;
		if (!isUp && hasSelf) this.selfNode[stack] = node;
	}

	/** Makes `children`, sorted by parent, and `childStart`. */
	linkChildren() {
		this.childStart = new Uint32Array(this.n + 1);
		for (let node = 1; node < this.n; node++) this.childStart[this.parent[node] + 1]++;
		for (let node = 0; node < this.n; node++)
			this.childStart[node + 1] += this.childStart[node];

		const at = this.childStart.slice();

		this.children = new Uint32Array(this.n);
		for (let node = 1; node < this.n; node++)
			this.children[at[this.parent[node]]++] = node;
	}

	/** Computes `self` and `total` of each node from the samples of each stack. */
	weigh(weights) {
		this.total = new Float64Array(this.n);
		this.self = new Float64Array(this.n);
		this.isSorted = new Uint8Array(this.n);
		for (let stack = 0; stack < weights.length; stack++) {
			if (!weights[stack] || this.endNode[stack] === FREE) continue;
			this.total[this.endNode[stack]] += weights[stack];
			if (this.selfNode[stack] !== FREE)
				this.self[this.selfNode[stack]] += weights[stack];
		}
		for (let node = this.n - 1; node > 0; node--)
			this.total[this.parent[node]] += this.total[node];
		return this;
	}

	/** Returns the children of a node, the largest first. */
	childrenOf(node) {
		const children = this.children.subarray(
			this.childStart[node],
			this.childStart[node + 1],
		);

		if (!this.isSorted[node]) {
			children.sort(
				(a, b) => this.total[b] - this.total[a] || this.fn[a] - this.fn[b],
			);
			this.isSorted[node] = 1;
		}
		return children;
	}

	/** Returns the functions from the root to @node. */
	pathOf(node) {
		const path = [];

		for (let at = node; at > 0; at = this.parent[at]) path.push(this.fn[at]);
		return path.reverse();
	}

	/** Returns the node with this path, or the deepest node on the way that exists and has samples. */
	find(path) {
		let node = 0;

		for (const fn of path) {
			const child = this.childrenOf(node).find(
				(at) => this.fn[at] === fn && this.total[at],
			);

			if (child === undefined) return node;
			node = child;
		}
		return node;
	}

	/** Returns the stack with the most samples below @node; -1: none. */
	heaviestStack(node, weights) {
		let best = -1;

		for (let stack = 0; stack < weights.length; stack++) {
			let at = this.endNode[stack];

			if (
				at === FREE ||
				!weights[stack] ||
				(best >= 0 && weights[stack] <= weights[best])
			)
				continue;
			while (at > node) at = this.parent[at];
			if (at === node) best = stack;
		}
		return best;
	}
}
