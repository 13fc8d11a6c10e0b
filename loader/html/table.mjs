// SPDX-License-Identifier: BSD-2-Clause

// Tables: the functions beside the flame graph, the executed lines of a function, and the hidden
// table that gives screen readers the call tree.

import { el, fill } from "./dom.mjs";
import { swatch } from "./paint.mjs";
import { lineRows } from "./rows.mjs";
import { percent, shorten, visible } from "./text.mjs";

const FIRST_ROWS = 60,
	MORE_ROWS = 500,
	MOST_NAME = 160,
	TREE_ROWS = 60;

export class FunctionTable {
	/** @on: { open(fn), sort(key) } */
	constructor(model, on) {
		Object.assign(this, { model, on, limit: FIRST_ROWS });
		this.body = el("tbody");
		this.heads = ["self", "total"].map((key) =>
			el(
				"th",
				{ scope: "col", "aria-sort": "none" },
				el(
					"button",
					{
						type: "button",
						title: `Sort by ${key}`,
						on: { click: () => on.sort(key) },
					},
					key,
				),
			),
		);
		this.more = el("button", {
			type: "button",
			class: "more",
			on: { click: () => this.showMore() },
		});
		this.element = el(
			"section",
			{ class: "functions", "aria-label": "Functions" },
			el(
				"table",
				{},
				el("caption", {}, "functions"),
				el(
					"thead",
					{},
					el(
						"tr",
						{},
						this.heads,
						el("th", { scope: "col" }, "function"),
					),
				),
				this.body,
			),
			this.more,
		);
	}

	/** @rows: functions, sorted; @counts: { self, total }; @all: samples that are 100 % */
	show(rows, counts, all, state) {
		Object.assign(this, { rows, counts, all, state });
		this.heads.forEach((head, i) =>
			head.setAttribute(
				"aria-sort",
				state.sort === ["self", "total"][i] ? "descending" : "none",
			),
		);
		this.fill();
	}

	showMore() {
		this.limit += MORE_ROWS;
		this.fill();
	}

	fill() {
		const { rows, limit } = this;

		fill(
			this.body,
			rows.slice(0, limit).map((fn) => this.row(fn)),
		);
		fill(this.more, rows.length > limit ? `show more of ${rows.length} functions` : "");
		this.more.hidden = rows.length <= limit;
	}

	row(fn) {
		const { model, counts, all, state } = this,
			f = model.functions[fn];

		return el(
			"tr",
			{ class: state.fn === fn && "chosen" },
			el(
				"td",
				{ style: { "--share-part": `${(counts.self[fn] / all) * 100}%` } },
				percent(counts.self[fn], all),
			),
			el(
				"td",
				{ style: { "--share-part": `${(counts.total[fn] / all) * 100}%` } },
				percent(counts.total[fn], all),
			),
			el(
				"td",
				{},
				swatch(f.origin),
				el(
					"button",
					{
						type: "button",
						class: "link",
						title: shorten(
							visible(f.label.slice(0, 2000)),
							1000,
						),
						"aria-pressed": String(state.fn === fn),
						on: { click: () => this.on.open(fn) },
					},
					shorten(visible(f.name.slice(0, 2000)), MOST_NAME),
				),
				el(
					"span",
					{ class: "place" },
					shorten(visible(f.place.slice(0, 2000)), MOST_NAME),
				),
			),
		);
	}
}

/** The text of line @line of @file, if the record carries the source. */
function sourceLine(record, file, line) {
	const source = record.sources.find(
		(s) => s.file === file && line >= s.line && line < s.line + s.text?.length,
	);

	return source ? source.text[line - source.line] : null;
}

/** A table of the executed lines of a function, with their text if the record carries it. */
export function lineTable(model, weights, fn, all) {
	const f = model.functions[fn],
		rows = lineRows(model, weights, fn);

	if (!rows.some(({ line }) => line)) return null;
	const hasSource = model.record.sources.some(({ file }) => file === f.where);

	return el(
		"table",
		{ class: "lines" },
		el("caption", {}, `executed lines of ${f.where}`),
		el(
			"thead",
			{},
			el(
				"tr",
				{},
				["self", "total", "line", hasSource && "source"]
					.filter(Boolean)
					.map((name) => el("th", { scope: "col" }, name)),
			),
		),
		el(
			"tbody",
			{},
			rows.map(({ line, self, total }) =>
				el(
					"tr",
					{},
					el("td", {}, percent(self, all)),
					el("td", {}, percent(total, all)),
					el("td", {}, line || "?"),
					hasSource
						? el(
								"td",
								{ class: "code" },
								sourceLine(
									model.record,
									f.where,
									line,
								) ?? "",
							)
						: null,
				),
			),
		),
	);
}

/** The rows of a tree with the largest totals, parents before their children. */
export function treeRows(tree, most) {
	const rows = [],
		waiting = [0];

	while (waiting.length && rows.length < most) {
		let best = 0;

		for (let i = 1; i < waiting.length; i++)
			if (tree.total[waiting[i]] > tree.total[waiting[best]]) best = i;

		const [node] = waiting.splice(best, 1);

		if (node) rows.push(node);
		waiting.push(
			...tree
				.childrenOf(node)
				.slice(0, most)
				.filter((child) => tree.total[child]),
		);
	}
	return rows;
}

/** Fills the hidden table with the largest calls of a tree. */
export function fillTreeTable(table, tree, all, caption) {
	const { model } = tree,
		name = (node) => (node ? model.nameOf(tree.fn[node]).slice(0, MOST_NAME) : "all");

	fill(
		table,
		el("caption", {}, caption),
		el(
			"thead",
			{},
			el(
				"tr",
				{},
				["depth", "function", "called by", "self", "total"].map((text) =>
					el("th", { scope: "col" }, text),
				),
			),
		),
		el(
			"tbody",
			{},
			treeRows(tree, TREE_ROWS).map((node) =>
				el(
					"tr",
					{},
					el("td", {}, tree.depth[node]),
					el("td", {}, name(node)),
					el("td", {}, name(tree.parent[node])),
					el("td", {}, percent(tree.self[node], all)),
					el("td", {}, percent(tree.total[node], all)),
				),
			),
		),
	);
}
