// SPDX-License-Identifier: BSD-2-Clause

// A tree of the paths of all stacks. It is built once for each shape; filters only change the
// weights of stacks, so a new selection needs one pass over the stacks and one over the nodes.
//
//	down	from the roots to the leaves
//	up	from each leaf to the roots
//	callees	of a function: from its outermost call to the leaves
//	callers	of a function: from its innermost call to the roots
//
// Node 0 is the sum of all. A parent has a smaller number than its children, which are neighbours.

import { Numbers } from "./numbers.mjs";

const NO_NODE = -1,
	NO_MARK = 255,
	MIXED = 255;
// Arrays by node. `from` and `to` are the range of the node's stacks while the tree is built.
const INTEGERS = ["parent", "fn", "depth", "childStart", "childEnd", "from", "to"],
	BYTES = ["marks", "tier"];

export class Tree {
	/** @shape: { kind: "down" | "up" | "callees" | "callers", fn, appOnly } */
	constructor(model, shape) {
		this.model = model;
		this.shape = shape;
		this.paths = model.paths(shape.appOnly);
		for (const key of INTEGERS) this[key] = new Numbers(Int32Array);
		for (const key of BYTES) this[key] = new Numbers(Uint8Array);
		this.endNode = new Int32Array(model.nStacks).fill(NO_NODE);
		this.selfNode = new Int32Array(model.nStacks).fill(NO_NODE);
		this.add(0, NO_NODE, 0);
		this.findParts();
		this.build();
		this.n = this.parent.n;
		for (const key of [...INTEGERS, ...BYTES]) this[key] = this[key].done();
		this.children = new Uint32Array(this.n);
		for (let node = 0; node < this.n; node++) this.children[node] = node;
		this.paths = this.first = this.length = this.from = this.to = null;
	}

	add(parent, fn, depth) {
		this.parent.push(parent);
		this.fn.push(fn);
		this.depth.push(depth);
		this.childStart.push(0);
		this.childEnd.push(0);
		this.from.push(0);
		this.to.push(0);
		this.marks.push(NO_MARK);
		this.tier.push(0);
		return this.parent.n - 1;
	}

	/**
	 * Finds the part of each path that belongs to the tree: its first element, seen from the root of
	 * the tree, and its length.
	 */
	findParts() {
		const { kind, fn } = this.shape,
			{ start, fns } = this.paths,
			{ nStacks } = this.model;

		this.isUp = kind === "up" || kind === "callers";
		this.first = new Int32Array(nStacks);
		this.length = new Int32Array(nStacks);
		for (let stack = 0; stack < nStacks; stack++) {
			let from = start[stack],
				to = start[stack + 1];

			while (kind === "callers" && from < to && fns[from] !== fn) from++;
			while (kind === "callees" && from < to && fns[to - 1] !== fn) to--;
			this.first[stack] = this.isUp ? from : to - 1;
			this.length[stack] = to - from;
			if (from === to && fn === undefined) this.endNode[stack] = 0;
		}
	}

	/** A node keeps the marks that all its frames have, and the tier if all frames have the same. */
	mark(node, frame) {
		const { marks, tiers } = this.model,
			tier = tiers.of[frame];

		if (this.marks.v[node] === NO_MARK) this.tier.v[node] = tier;
		else if (this.tier.v[node] !== tier) this.tier.v[node] = MIXED;
		this.marks.v[node] &= marks[frame];
	}

	/**
	 * Builds the nodes, the callees of a node before its neighbours, so that nearby memory is used.
	 * `order` has the stacks of each node side by side; each node distributes them to its children.
	 */
	build() {
		const { model } = this,
			order = new Uint32Array(model.nStacks),
			next = new Uint32Array(model.nStacks);
		const childOf = new Int32Array(model.functions.length + model.ends.length).fill(
			NO_NODE,
		);
		let n = 0;

		for (let stack = 0; stack < order.length; stack++)
			if (this.length[stack]) order[n++] = stack;
		this.to.v[0] = n;
		for (const waiting = [0]; waiting.length;) {
			const node = waiting.pop();

			this.findChildren(node, order, childOf);
			this.distribute(node, order, next, childOf);
			for (
				let child = this.childStart.v[node];
				child < this.childEnd.v[node];
				child++
			)
				waiting.push(child);
		}
	}

	elementOf(stack, depth) {
		return this.isUp ? this.first[stack] + depth : this.first[stack] - depth;
	}

	/** Adds the children of @node. childOf: by function; children of other nodes have smaller numbers. */
	findChildren(node, order, childOf) {
		const depth = this.depth.v[node],
			{ fns, frames } = this.paths,
			start = this.parent.n;

		this.childStart.v[node] = start;
		for (let k = this.from.v[node]; k < this.to.v[node]; k++) {
			const stack = order[k];

			if (this.length[stack] === depth) {
				this.end(stack, node);
				continue;
			}

			const at = this.elementOf(stack, depth),
				fn = fns[at];

			if (childOf[fn] < start) childOf[fn] = this.add(node, fn, depth + 1);
			this.to.v[childOf[fn]]++;
			if (frames[at] >= 0) this.mark(childOf[fn], frames[at]);
			if (
				this.isUp &&
				depth === 0 &&
				at === this.paths.start[stack] &&
				!this.model.isEnd(fn)
			)
				this.selfNode[stack] = childOf[fn];
		}
		this.childEnd.v[node] = this.parent.n;
	}

	/** @node is the last of the part of the stack's path. */
	end(stack, node) {
		this.endNode[stack] = node;
		if (!this.isUp && !this.model.isEnd(this.fn.v[node])) this.selfNode[stack] = node;
	}

	/** Sorts the stacks of @node by its children, so far `to` of which is their number of stacks. */
	distribute(node, order, next, childOf) {
		const depth = this.depth.v[node],
			from = this.from.v[node],
			{ fns } = this.paths;
		let at = from;

		for (let child = this.childStart.v[node]; child < this.childEnd.v[node]; child++) {
			const n = this.to.v[child];

			this.from.v[child] = this.to.v[child] = at;
			at += n;
		}
		for (let k = from; k < this.to.v[node]; k++)
			if (this.length[order[k]] > depth)
				next[this.to.v[childOf[fns[this.elementOf(order[k], depth)]]]++] =
					order[k];
		for (let k = from; k < at; k++) order[k] = next[k];
	}

	/** Computes `self` and `total` of each node from the samples of each stack. */
	weigh(weights) {
		this.total = new Float64Array(this.n);
		this.self = new Float64Array(this.n);
		this.isSorted = new Uint8Array(this.n);
		for (let stack = 0; stack < weights.length; stack++) {
			if (!weights[stack] || this.endNode[stack] === NO_NODE) continue;
			this.total[this.endNode[stack]] += weights[stack];
			if (this.selfNode[stack] !== NO_NODE)
				this.self[this.selfNode[stack]] += weights[stack];
		}
		for (let node = this.n - 1; node > 0; node--)
			this.total[this.parent[node]] += this.total[node];
		return this;
	}

	/** Returns the children of a node, the largest first. */
	childrenOf(node) {
		const children = this.children.subarray(this.childStart[node], this.childEnd[node]);

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
				at === NO_NODE ||
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
