// SPDX-License-Identifier: BSD-2-Clause

// The time strip: the heat map of the recording, in which a range can be selected with the mouse or
// the keyboard.

import { el, fill } from "./dom.mjs";
import { countSlices, makeGrid } from "./heat.mjs";
import { ACTIVITY_STYLES, cssColor, fitCanvas } from "./paint.mjs";
import { ACTIVITIES } from "./numbers.mjs";
import { samples, seconds } from "./text.mjs";

const HEIGHT = 56,
	AXIS = 16,
	COLUMN = 5,
	MOST_ROWS = 14,
	TICK = 90,
	NOTE = 330,
	STEPS = [1, 2, 5];

/** A round number of microseconds, of which at most @most fit into @us. */
function roundStep(us, most) {
	for (let power = 1; ; power *= 10)
		for (const step of STEPS) if (us / (step * power) <= most) return step * power;
}

export class Strip {
	/** @onRange([since, until] or null), in microseconds */
	constructor(model, durationUs, onRange) {
		Object.assign(this, { model, durationUs, onRange });
		this.range = this.drag = null;
		this.cursor = 0; // column of the keyboard
		this.canvas = el("canvas", {
			tabindex: "0",
			role: "application",
			"aria-label":
				"Time strip: arrow keys move, Shift and arrow keys select a range, Escape removes it",
		});
		this.note = el("span", { class: "note", "aria-live": "polite" });
		this.element = el("div", { class: "strip" }, this.canvas, this.note);
		this.canvas.addEventListener("pointerdown", (event) => this.down(event));
		this.canvas.addEventListener("pointermove", (event) => this.move(event));
		this.canvas.addEventListener("pointerup", () => this.up());
		this.canvas.addEventListener("pointerleave", () => this.describe(null));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		this.canvas.addEventListener("focus", () => this.draw());
		this.canvas.addEventListener("blur", () => this.draw());
		new ResizeObserver(() => this.isIn && this.count()).observe(this.element);
	}

	/** Shows the samples of the cells in @isIn, and the selected range. */
	show(isIn, range) {
		this.isIn = isIn;
		this.range = range;
		this.count();
	}

	count() {
		this.width = this.element.clientWidth;
		if (!this.width) return;
		this.grid = makeGrid(this.durationUs, Math.floor(this.width / COLUMN), MOST_ROWS);
		this.slices = countSlices(
			this.model.record,
			this.isIn,
			this.grid,
			ACTIVITIES.length,
		);
		this.draw();
		this.describe(null);
	}

	get columnWidth() {
		return this.width / this.grid.columns;
	}

	draw() {
		if (!this.slices) return;

		const pen = fitCanvas(this.canvas, this.width, HEIGHT + AXIS),
			{ columns, rows } = this.grid;
		const { counts, activity, most } = this.slices,
			height = HEIGHT / rows;

		pen.fillStyle = cssColor("--panel");
		pen.fillRect(0, 0, this.width, HEIGHT);
		for (let i = 0; i < columns * rows; i++) {
			if (!counts[i]) continue;
			pen.globalAlpha = 0.5 + 0.5 * (counts[i] / most);
			pen.fillStyle = ACTIVITY_STYLES[ACTIVITIES[activity[i]]].color;
			pen.fillRect(
				Math.floor(i / rows) * this.columnWidth,
				HEIGHT - ((i % rows) + 1) * height,
				this.columnWidth - (this.columnWidth > 3 ? 1 : 0),
				Math.max(1, height - (height > 3 ? 1 : 0)),
			);
		}
		pen.globalAlpha = 1;
		this.drawAxis(pen);
		this.drawRange(pen);
	}

	drawAxis(pen) {
		const step = roundStep(this.durationUs, this.width / TICK);

		pen.fillStyle = cssColor("--dim");
		pen.font = "11px system-ui, sans-serif";
		for (let t = 0; this.xOf(t) < this.width - NOTE; t += step)
			pen.fillText(seconds(t, step), this.xOf(t) + 3, HEIGHT + 12);
	}

	drawRange(pen) {
		const range = this.drag ? this.dragged() : this.range;

		if (range) {
			const [left, right] = range.map((t) => this.xOf(t));

			pen.fillStyle = cssColor("--veil");
			pen.fillRect(0, 0, left, HEIGHT);
			pen.fillRect(right, 0, this.width - right, HEIGHT);
			pen.fillStyle = cssColor("--focus");
			pen.fillRect(left - 1, 0, 2, HEIGHT);
			pen.fillRect(right - 1, 0, 2, HEIGHT);
		}
		if (document.activeElement === this.canvas) {
			pen.strokeStyle = cssColor("--focus");
			pen.lineWidth = 2;
			pen.strokeRect(
				this.cursor * this.columnWidth,
				1,
				Math.max(2, this.columnWidth),
				HEIGHT - 2,
			);
		}
	}

	xOf(t) {
		return (t / (this.grid.columns * this.grid.columnUs)) * this.width;
	}

	columnAt(event) {
		const x = event.clientX - this.canvas.getBoundingClientRect().left;

		return Math.max(
			0,
			Math.min(this.grid.columns - 1, Math.floor(x / this.columnWidth)),
		);
	}

	/** The range of the columns that were dragged over. */
	dragged() {
		const [a, b] = this.drag,
			{ columnUs } = this.grid;

		return [Math.min(a, b) * columnUs, (Math.max(a, b) + 1) * columnUs];
	}

	down(event) {
		this.canvas.setPointerCapture(event.pointerId);
		this.drag = [this.columnAt(event), this.columnAt(event)];
		this.draw();
	}

	move(event) {
		if (this.drag) this.drag[1] = this.columnAt(event);
		this.describe(this.columnAt(event));
		this.draw();
	}

	/** A click in a selected range removes it. */
	up() {
		const isClick = this.drag && this.drag[0] === this.drag[1],
			range = this.drag && this.dragged();

		this.drag = null;
		if (range) this.onRange(isClick && this.range ? null : range);
	}

	describe(column) {
		const { rows, columnUs, sliceUs } = this.grid;
		const slice = `a cell is ${sliceUs / 1000} ms; drag to select a range`;

		if (this.drag) fill(this.note, this.rangeText(this.dragged()));
		else if (column === null)
			fill(this.note, this.range ? this.rangeText(this.range) : slice);
		else
			fill(
				this.note,
				`${seconds(column * columnUs, sliceUs)}: ` +
					samples(
						this.slices.counts
							.subarray(
								column * rows,
								(column + 1) * rows,
							)
							.reduce((a, b) => a + b, 0),
					),
			);
	}

	rangeText([since, until]) {
		return `${seconds(since, this.grid.columnUs)} to ${seconds(Math.min(until, this.durationUs), this.grid.columnUs)}`;
	}

	key(event) {
		const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];

		if (event.key === "Escape" && this.range) this.onRange(null);
		else if (by && event.shiftKey) this.extend(by);
		else if (by) this.step(by);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}

	step(by) {
		this.cursor = Math.max(0, Math.min(this.grid.columns - 1, this.cursor + by));
		this.anchor = this.cursor;
		this.describe(this.cursor);
		this.draw();
	}

	extend(by) {
		const anchor = this.anchor ?? this.cursor;

		this.step(by);
		this.anchor = anchor;
		this.drag = [anchor, this.cursor];

		const range = this.dragged();

		this.drag = null;
		this.onRange(range);
	}
}
