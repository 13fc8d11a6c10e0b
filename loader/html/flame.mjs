// SPDX-License-Identifier: BSD-2-Clause

// A flame graph on a canvas. The canvas has the size of the visible part; the scroll bar belongs to
// the element around it, so that a graph can be 10,000 calls deep.

import { el } from "./dom.mjs";
import { boxAt, extent, layout } from "./layout.mjs";
import { INLINED, GUESS, ASYNC } from "./model.mjs";
import { cssColor, fitCanvas, makePatterns, ORIGINS } from "./paint.mjs";
import { shorten, visible } from "./text.mjs";

export const ROW = 16;
const HOT = 0.05; // share of samples of callees that are worth seeing first
const ZOOM_MS = 160,
	MIN_TEXT = 28,
	CHARACTER = 6.2,
	TEAR = 5,
	MIXED = 255;
const TIERS = { interpreted: "I", baseline: "B", maglev: "M", turbofan: "T" };

export class Flame {
	/**
	 * @on: { zoom(node), hover(node), open(node) }; node: a number of the tree, or -1
	 * @grows: "up": the root is at the bottom
	 */
	constructor(label, on) {
		this.on = on;
		this.canvas = el("canvas", {
			tabindex: "0",
			role: "application",
			"aria-label": label,
			"aria-roledescription": "flame graph",
		});
		this.space = el("div", { class: "space" }, this.canvas);
		this.element = el("div", { class: "flame" }, this.space);
		this.window = [0, 1];
		this.zoomed = this.selected = 0;
		this.hovered = -1;
		this.element.addEventListener("scroll", () => this.draw());
		this.canvas.addEventListener("mousemove", (event) =>
			this.hover(this.nodeAt(event)),
		);
		this.canvas.addEventListener("mouseleave", () => this.hover(-1));
		this.canvas.addEventListener("click", (event) => this.click(this.nodeAt(event)));
		this.canvas.addEventListener(
			"dblclick",
			(event) => this.nodeAt(event) > 0 && on.open(this.nodeAt(event)),
		);
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		this.canvas.addEventListener("focus", () => this.draw());
		this.canvas.addEventListener("blur", () => this.draw());
		new ResizeObserver(() => this.tree && this.resize()).observe(this.element);
	}

	/** Shows a weighed tree. @zoom: the node that has the full width. @isMatch: by function, or null. */
	show(tree, { zoom, isMatch, grows }) {
		const isNew = tree !== this.tree,
			hadZoom = this.zoomed;

		this.tree = tree;
		this.isMatch = isMatch;
		this.grows = grows;
		this.zoomed = zoom;
		if (isNew || hadZoom !== zoom) this.selected = zoom;
		this.resize(!isNew && hadZoom !== zoom);
	}

	resize(isAnimated) {
		const width = this.element.clientWidth,
			target = extent(this.tree, this.zoomed);

		if (!width) return;
		this.width = width;
		if (isAnimated && !matchMedia("(prefers-reduced-motion: reduce)").matches)
			return this.animate(target);
		this.window = target;
		this.arrange();
		this.scrollToZoomed();
	}

	animate(target) {
		const start = performance.now(),
			from = this.window;
		const step = (now) => {
			const part = Math.min(1, Math.max(0, (now - start) / ZOOM_MS)),
				ease = part * (2 - part);

			if (this.target !== target) return;
			this.window = [0, 1].map((i) => from[i] + (target[i] - from[i]) * ease);
			this.arrange();
			if (part < 1) requestAnimationFrame(step);
			else this.scrollToZoomed();
		};

		this.target = target;
		requestAnimationFrame(step);
	}

	/** Finds the boxes of the present window and draws them. */
	arrange() {
		this.boxes = layout(this.tree, this.window, this.width);
		this.canvas.dataset.boxes = this.boxes.n; // for measurements
		this.space.style.height = `${(this.boxes.maxDepth + 1 - this.base) * ROW}px`;
		this.draw();
	}

	/** Depth of the first row: the trees of callers and callees begin with their function. */
	get base() {
		return this.tree.shape.fn === undefined ? 0 : 1;
	}

	get height() {
		return Math.max(
			(this.boxes.maxDepth + 1 - this.base) * ROW,
			this.element.clientHeight,
		);
	}

	/** Upper edge of the boxes at @depth, relative to the visible part. */
	top(depth) {
		const row = depth - this.base,
			y = this.grows === "up" ? this.height - (row + 1) * ROW : row * ROW;

		return y - this.element.scrollTop;
	}

	/** Depth at which the path of the largest callees from @node falls below a part of all samples. */
	hotDepth(node) {
		const { tree } = this,
			least = tree.total[0] * HOT;
		let at = node;

		for (
			let next = node;
			next !== undefined && tree.total[next] >= least;
			next = tree.childrenOf(next)[0]
		)
			at = next;
		return tree.depth[at];
	}

	/** Makes @node visible. */
	scrollTo(node) {
		const { element } = this,
			view = element.clientHeight,
			hidden = element.scrollTop;
		const y = this.top(this.tree.depth[node]) + hidden;

		if (y < hidden || y + ROW > hidden + view)
			element.scrollTop = this.grows === "up" ? y - view + 2 * ROW : y - ROW;
		this.draw();
	}

	/** Makes the node that has the full width visible, or, if it is the root, the hot callees. */
	scrollToZoomed() {
		const { element } = this;

		if (this.zoomed) return this.scrollTo(this.zoomed);

		const y = this.top(this.hotDepth(0)) + element.scrollTop;

		element.scrollTop =
			this.grows === "up" ? y - ROW : y + 2 * ROW - element.clientHeight;
		this.draw();
	}

	x(at) {
		return ((at - this.window[0]) / (this.window[1] - this.window[0])) * this.width;
	}

	draw() {
		if (!this.boxes) return;

		const height = this.element.clientHeight,
			pen = fitCanvas(this.canvas, this.width, height);

		this.patterns ??= makePatterns(pen);
		this.colors = {
			text: "#141414",
			line: cssColor("--back"),
			dim: cssColor("--dim"),
			match: cssColor("--match"),
			focus: cssColor("--focus"),
		};
		pen.clearRect(0, 0, this.width, height);
		pen.font = "11.5px system-ui, sans-serif";
		pen.textBaseline = "middle";
		for (let i = 0; i < this.boxes.n; i++) {
			const y = this.top(this.boxes.depth[i]);

			if (y > -ROW && y < height) this.drawBox(pen, i, y);
		}
	}

	drawBox(pen, i, y) {
		const { tree, boxes } = this,
			node = boxes.node[i],
			fn = tree.fn[node],
			{ model } = tree;
		const left = Math.max(0, this.x(boxes.from[i])),
			right = Math.min(this.width, this.x(boxes.to[i]));
		const width = Math.max(0.5, right - left - (right - left > 3 ? 1 : 0));
		const isAbove = node !== this.zoomed && tree.depth[node] < tree.depth[this.zoomed];
		const isDim =
			isAbove ||
			(this.isMatch &&
				node &&
				!(fn < model.functions.length && this.isMatch[fn]));

		pen.globalAlpha = isDim ? 0.45 : 1;
		if (node && model.isEnd(fn)) this.drawTorn(pen, left, y, width);
		else this.drawPlain(pen, node, left, y, width);
		pen.globalAlpha = isAbove ? 0.75 : 1;
		if (width > MIN_TEXT) this.drawText(pen, node, left, y, width);
		pen.globalAlpha = 1;
		if (
			node === this.hovered ||
			(node === this.selected && document.activeElement === this.canvas)
		)
			this.drawFrame(pen, left, y, width);
	}

	drawPlain(pen, node, left, y, width) {
		const { tree } = this,
			{ model } = tree,
			fn = tree.fn[node];
		const style = node ? ORIGINS[model.functions[fn].origin] : ORIGINS.end;
		const isMatch = node && this.isMatch?.[fn];

		pen.fillStyle = isMatch ? this.colors.match : style.color;
		pen.fillRect(left, y, width, ROW - 1);
		if (!node || width < 6) return;
		if (style.pattern && !isMatch) {
			pen.fillStyle = this.patterns[style.pattern];
			pen.fillRect(left, y, width, ROW - 1);
		}
		if (tree.marks[node] & GUESS) {
			pen.fillStyle = this.patterns.guess;
			pen.fillRect(left, y, width, ROW - 1);
		}
		if (tree.marks[node] & (INLINED | ASYNC)) {
			pen.strokeStyle = "rgba(0,0,0,.6)";
			pen.setLineDash(tree.marks[node] & ASYNC ? [1, 3] : [5, 3]);
			pen.strokeRect(left + 1, y + 1, width - 2, ROW - 3);
			pen.setLineDash([]);
		}
	}

	/** The end of an incomplete stack: the edge away from its callees is torn. */
	drawTorn(pen, left, y, width) {
		const isUp = this.grows === "up",
			near = isUp ? y : y + ROW - 1,
			far = isUp ? y + ROW - 1 : y;
		const inner = isUp ? far - TEAR : far + TEAR;

		pen.fillStyle = ORIGINS.end.color;
		pen.beginPath();
		pen.moveTo(left, near);
		pen.lineTo(left + width, near);
		pen.lineTo(left + width, inner);
		for (let x = width, k = 0; x > 0; x -= TEAR, k++)
			pen.lineTo(left + x, k % 2 ? inner : far);
		pen.lineTo(left, inner);
		pen.fill();
	}

	drawText(pen, node, left, y, width) {
		const { tree } = this,
			{ model } = tree,
			room = Math.floor((width - 8) / CHARACTER);
		const tier = TIERS[model.tiers.names[tree.tier[node]]],
			hasTier = node && tier && room > 8;
		const marks = tree.marks[node];
		const sign =
			node === 0 || marks === MIXED
				? ""
				: (marks & ASYNC ? "async " : "") + (marks & INLINED ? "⤷ " : "");
		const name = node ? model.nameOf(tree.fn[node]) : "all";

		pen.fillStyle = this.colors.text;
		pen.fillText(
			shorten(sign + visible(name.slice(0, 400)), room - (hasTier ? 2 : 0)),
			left + 4,
			y + ROW / 2,
			width - 6,
		);
		if (hasTier) {
			pen.globalAlpha *= 0.65;
			pen.fillText(tier, left + width - 12, y + ROW / 2);
		}
	}

	drawFrame(pen, left, y, width) {
		pen.strokeStyle = this.colors.focus;
		pen.lineWidth = 2;
		pen.strokeRect(left + 1, y + 1, Math.max(1, width - 2), ROW - 3);
		pen.lineWidth = 1;
	}

	nodeAt(event) {
		const box = this.canvas.getBoundingClientRect(),
			y = event.clientY - box.top + this.element.scrollTop;
		const depth =
			this.base + Math.floor((this.grows === "up" ? this.height - y : y) / ROW);
		const [from, to] = this.window,
			x = from + ((event.clientX - box.left) / this.width) * (to - from);
		const at = this.boxes ? boxAt(this.boxes, x, depth) : -1;

		return at < 0 ? -1 : this.boxes.node[at];
	}

	hover(node) {
		if (node === this.hovered) return;
		this.hovered = node;
		this.canvas.style.cursor = node >= 0 ? "pointer" : "default";
		this.on.hover(node >= 0 ? node : this.selected);
		this.draw();
	}

	click(node) {
		if (node < 0) return;
		this.selected = node;
		this.on.zoom(node);
	}

	/** The node next to the selected one: its parent, largest callee or neighbour. */
	neighbour(key) {
		const { tree, selected } = this,
			isUp = this.grows === "up";

		if (key === (isUp ? "ArrowDown" : "ArrowUp")) return tree.parent[selected];
		if (key === (isUp ? "ArrowUp" : "ArrowDown"))
			return (
				tree.childrenOf(selected).find((child) => tree.total[child]) ??
				selected
			);
		if (key === "Home") return 0;

		const row = Array.from(tree.childrenOf(tree.parent[selected])).filter(
			(node) => tree.total[node],
		);
		const at = row.indexOf(selected) + (key === "ArrowLeft" ? -1 : 1);

		return selected === 0 ? 0 : row[Math.max(0, Math.min(row.length - 1, at))];
	}

	key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		switch (event.key) {
			case "ArrowUp":
			case "ArrowDown":
			case "ArrowLeft":
			case "ArrowRight":
			case "Home":
				this.selected = this.neighbour(event.key);
				this.on.hover(this.selected);
				this.scrollTo(this.selected);
				break;
			case "Enter":
			case " ":
				this.click(this.selected);
				break;
			case "Backspace":
				this.click(this.tree.parent[this.zoomed]);
				break;
			case "s":
				if (this.selected > 0) this.on.open(this.selected);
				break;
			default:
				return;
		}
		event.preventDefault();
		event.stopPropagation();
	}
}
