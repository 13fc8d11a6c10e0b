// SPDX-License-Identifier: BSD-2-Clause

// The page: one state, from which every view is computed. A change of the state goes to the URL's
// fragment, and the fragment's change to the views, so that the browser's "back" works everywhere.

import { Controls } from "./controls.mjs";
import { el, fill } from "./dom.mjs";
import { axisOf, hottest } from "./facts.mjs";
import { Flame } from "./flame.mjs";
import { helpDialog, legend } from "./help.mjs";
import { onKey } from "./keys.mjs";
import { countFunctions, functionRows } from "./rows.mjs";
import { matcher, matchFunctions, select } from "./select.mjs";
import { DEFAULTS, fitState, readFragment, writeFragment } from "./state.mjs";
import { Strip } from "./strip.mjs";
import { fillTreeTable, FunctionTable, lineTable } from "./table.mjs";
import { percent, samples, shorten, visible } from "./text.mjs";
import { Tree } from "./tree.mjs";
import { Head, headline } from "./trust.mjs";

const WRITE_MS = 150; // typing changes the URL at most this often
const FRESH = ["zoom", "fn"]; // a change of these can be undone by "back"

export class Page {
	constructor(model, root) {
		this.model = model;
		this.trees = new Map();
		this.state = fitState(readFragment(location.hash), model);
		this.make(root);
		this.update();
		addEventListener("hashchange", () => this.read());
		addEventListener("keydown", (event) => onKey(this, event));
		for (const query of ["(prefers-color-scheme: dark)", "print"])
			matchMedia(query).addEventListener("change", () => this.update());
	}

	make(root) {
		const { model } = this,
			open = (fn) => this.set({ fn: fn === this.state.fn ? null : fn });

		this.head = new Head(model, {
			note: (text) => this.say(text),
			kind: (kind) =>
				this.set({
					kinds: this.state.kinds.includes(kind)
						? this.state.kinds.filter((k) => k !== kind)
						: [...this.state.kinds, kind],
				}),
			status: (status) =>
				this.set({ status: this.state.status === status ? "" : status }),
		});
		this.strip = new Strip(model, axisOf(model.record), (range) => this.set({ range }));
		this.help = helpDialog(model.record.header.unspool ?? "of an unknown version");
		this.controls = new Controls(model, {
			set: (changes) => this.set(changes),
			help: () => this.help.showModal(),
			reset: () => this.set({ ...DEFAULTS, view: this.state.view }),
		});
		this.headline = el("div");
		this.selected = el("p", { class: "selected", role: "status" });
		this.graph = this.makeFlame(
			"Flame graph: arrow keys move, Enter zooms, s shows callers and callees",
		);
		this.callers = this.makeFlame("Callers of the function");
		this.callees = this.makeFlame("Callees of the function");
		this.sandwich = el("div", { class: "sandwich" });
		this.table = new FunctionTable(model, { open, sort: (sort) => this.set({ sort }) });
		this.tree = el("table");
		this.details = el("p", { class: "details", "aria-live": "polite" });
		this.views = el("div", { class: "views" });
		fill(
			root,
			el(
				"div",
				{ class: "top" },
				this.head.element,
				el("div", { class: "actions" }, this.controls.actions),
			),
			this.headline,
			model.record.times.length ? this.strip.element : null,
			this.controls.element,
			this.selected,
			el(
				"div",
				{ class: "columns" },
				el("div", { class: "left" }, this.views, this.details, legend()),
				this.table.element,
			),
			el("div", { class: "sr" }, this.tree),
			this.help,
		);
	}

	makeFlame(label) {
		const flame = new Flame(label, {
			zoom: (node) => this.zoom(flame, node),
			hover: (node) => this.describe(flame, node),
			open: (node) => {
				const fn = flame.tree.fn[node];

				if (!this.model.isEnd(fn)) this.set({ fn });
			},
		});

		return flame;
	}

	// ---- state ----

	set(changes) {
		const isFresh = Object.keys(changes).some(
			(key) => FRESH.includes(key) && changes[key] !== this.state[key],
		);

		this.state = { ...this.state, ...changes };
		if (Object.keys(changes).join() === "zoom" && !this.isSandwich) this.zoomGraph();
		else this.update();
		clearTimeout(this.timer);
		if (isFresh) this.write(true);
		else this.timer = setTimeout(() => this.write(false), WRITE_MS);
	}

	write(isFresh) {
		const fragment = `#${writeFragment(this.state)}`;

		if (fragment === location.hash || (fragment === "#" && !location.hash)) return;
		if (isFresh) history.pushState(null, "", fragment);
		else history.replaceState(null, "", fragment);
	}

	read() {
		this.state = fitState(readFragment(location.hash), this.model);
		this.update();
	}

	// ---- views ----

	weighed(kind, fn) {
		const { app } = this.state,
			key = `${kind} ${fn} ${app}`;

		if (!this.trees.has(key)) {
			if (this.trees.size > 8) this.trees.clear();
			this.trees.set(key, new Tree(this.model, { kind, fn, appOnly: app }));
		}

		const tree = this.trees.get(key);

		if (tree.weights !== this.selection.weights) tree.weigh(this.selection.weights);
		tree.weights = this.selection.weights;
		return tree;
	}

	update() {
		const { model, state } = this,
			match = matcher(state.q, state.re);

		this.isMatch = match && matchFunctions(model, match);
		this.selection = select(model, state, this.isMatch);
		this.counts = countFunctions(model, this.selection.weights, state.app);

		const { weights, total, isIn } = this.selection;
		let rows = functionRows(model, this.counts, state.sort);

		if (this.isMatch) rows = rows.filter((fn) => this.isMatch[fn]);
		this.head.show(state);
		fill(
			this.headline,
			headline(model, hottest(model, weights, total), (fn) => this.set({ fn })),
		);
		this.controls.show(
			state,
			match?.error ??
				(match ? `matched ${percent(this.selection.matched, total)}` : ""),
		);
		this.table.show(rows, this.counts, total, state);
		this.strip.show(isIn, state.range);
		this.say(
			total === model.record.samples
				? ""
				: `${samples(total)} of ${samples(model.record.samples)} selected (${percent(total, model.record.samples)})`,
		);
		this.showViews();
	}

	showViews() {
		const { state } = this,
			isSandwich = state.fn !== null;

		if (isSandwich !== this.isSandwich)
			fill(
				this.views,
				isSandwich
					? [
							this.sandwich,
							this.callers.element,
							this.callees.element,
						]
					: this.graph.element,
			);
		this.isSandwich = isSandwich;
		this.views.classList.toggle("two", isSandwich);
		if (isSandwich) this.showSandwich();
		else this.showGraph();
	}

	showGraph() {
		const tree = this.zoomGraph();

		fillTreeTable(
			this.tree,
			tree,
			this.selection.total,
			"Call tree: the calls with the most samples",
		);
	}

	/** Shows the tree with the present zoom. All other views stay as they are. */
	zoomGraph() {
		const { state } = this,
			tree = this.weighed(state.up ? "up" : "down");

		this.graph.show(tree, {
			zoom: tree.find(state.zoom),
			isMatch: this.isMatch,
			grows: state.view === "flame" ? "up" : "down",
		});
		this.describe(this.graph, this.graph.selected);
		return tree;
	}

	showSandwich() {
		const { fn } = this.state,
			{ weights, total } = this.selection,
			f = this.model.functions[fn];
		const callers = this.weighed("callers", fn),
			callees = this.weighed("callees", fn);

		fill(
			this.sandwich,
			el(
				"button",
				{ type: "button", on: { click: () => this.set({ fn: null }) } },
				"back to the flame graph",
			),
			el(
				"h2",
				{},
				shorten(visible(f.name.slice(0, 2000)), 200),
				" ",
				el(
					"span",
					{ class: "place" },
					shorten(visible(f.place.slice(0, 2000)), 200),
				),
			),
			el(
				"p",
				{},
				`self ${percent(this.counts.self[fn], total)}, total ${percent(this.counts.total[fn], total)}. ` +
					"Above: its callers. Below: what it calls.",
			),
			lineTable(this.model, weights, fn, total),
		);
		this.callers.show(callers, {
			zoom: callers.childrenOf(0)[0] ?? 0,
			isMatch: this.isMatch,
			grows: "up",
		});
		this.callees.show(callees, {
			zoom: callees.childrenOf(0)[0] ?? 0,
			isMatch: this.isMatch,
			grows: "down",
		});
		fillTreeTable(this.tree, callers, total, "Callers of the function");
		this.describe(this.callees, this.callees.zoomed);
	}

	zoom(flame, node) {
		if (flame === this.graph) {
			this.set({ zoom: flame.tree.pathOf(node) });
			return;
		}
		flame.show(flame.tree, { zoom: node, isMatch: this.isMatch, grows: flame.grows });
		this.describe(flame, node);
	}

	/** Describes the box under the mouse or the keyboard's cursor. */
	describe(flame, node) {
		const { model } = this,
			{ tree } = flame,
			all = this.selection.total,
			fn = tree.fn[node];

		this.shown = { tree, node };
		if (!tree.total[node] || node < 0) {
			fill(
				this.details,
				all
					? ""
					: "No sample passes the filters. Press Escape to remove them.",
			);
			return;
		}

		const share = `total ${percent(tree.total[node], all)} (${samples(tree.total[node])}), self ${percent(
			tree.self[node],
			all,
		)}`;

		if (node === 0 || model.isEnd(fn)) {
			fill(
				this.details,
				el("b", {}, node ? model.nameOf(fn) : "all"),
				` ${share}`,
			);
			return;
		}

		const f = model.functions[fn],
			tier = model.tiers.names[tree.tier[node]] ?? "several tiers";

		fill(
			this.details,
			el("b", {}, shorten(visible(f.name.slice(0, 12000)), 300)),
			` ${share}`,
			el("br"),
			el(
				"span",
				{ class: "place" },
				shorten(visible(f.place.slice(0, 12000)), 300),
			),
			`  ${[
				f.kind,
				f.package,
				tier,
				tree.marks[node] & 1 ? "inlined" : "",
				tree.marks[node] & 2 ? "guess" : "",
				tree.marks[node] & 4 ? "async caller" : "",
			]
				.filter(Boolean)
				.join(", ")}`,
		);
	}

	say(text) {
		fill(this.selected, text);
	}
}
