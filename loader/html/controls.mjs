// SPDX-License-Identifier: BSD-2-Clause

// The bar of filters and views.

import { checkbox, choice, el, fill } from "./dom.mjs";
import { shorten, visible } from "./text.mjs";

const MOST_OPTION = 60;

function option(text) {
	return shorten(visible(text.slice(0, 1000)), MOST_OPTION);
}

function threadOptions(model) {
	const several = model.record.processes.filter((p) => p.samples).length > 1;

	return [
		["", "all threads"],
		...model.threads.map(({ label, tid, process }, i) => [
			i,
			option(
				`${label} (${several ? `pid ${model.record.processes[process].pid}, ` : ""}tid ${tid})`,
			),
		]),
	];
}

function processOptions(model) {
	return [
		["", "all processes"],
		...model.record.processes
			.map((p, i) => [i, p])
			.filter(([, p]) => p.samples)
			.map(([i, p]) => [i, option(`${p.name || "unnamed"} (pid ${p.pid})`)]),
	];
}

function index(value) {
	return value === "" ? null : Number(value);
}

export class Controls {
	/** @on: { set(changes), reset(), help() } */
	constructor(model, on) {
		this.model = model;
		this.search = el("input", {
			type: "search",
			placeholder: "search functions and files  ( / )",
			"aria-label": "Search functions and files",
			spellcheck: "false",
			on: { input: () => on.set({ q: this.search.value }) },
		});
		this.matched = el("output", { "aria-live": "polite" });
		this.regex = checkbox("regex", "The text is a regular expression", (re) =>
			on.set({ re }),
		);
		this.only = checkbox(
			"only matches",
			"Keep only stacks with a match, as report --grep does",
			(only) => on.set({ only }),
		);
		this.app = checkbox(
			"my code only",
			"The time of other code counts for the function of your code that called it",
			(app) => on.set({ app, zoom: [] }),
		);
		this.up = checkbox(
			"inverted",
			"Show the callers of each function: leaves first",
			(up) => on.set({ up, zoom: [] }),
		);
		this.view = choice(
			"Direction of the flame graph",
			[
				["flame", "roots below"],
				["icicle", "roots above"],
			],
			(view) => on.set({ view }),
		);
		this.thread = choice("Thread", threadOptions(model), (value) =>
			on.set({ thread: index(value) }),
		);
		this.process = choice("Process", processOptions(model), (value) =>
			on.set({ process: index(value) }),
		);
		this.package = choice(
			"Package",
			[
				["", "all packages"],
				...model.packages.map((name, i) => [i, option(name)]),
			],
			(value) => on.set({ package: value === "" ? null : model.packages[value] }),
		);
		this.element = el(
			"div",
			{ class: "controls", role: "toolbar", "aria-label": "Filters and views" },
			this.search,
			this.regex.element,
			this.only.element,
			this.matched,
			el("span", { class: "gap" }),
			this.app.element,
			this.up.element,
			this.view,
			model.record.processes.filter((p) => p.samples).length > 1
				? this.process
				: null,
			model.threads.length > 1 ? this.thread : null,
			model.packages.length > 1 ? this.package : null,
		);
		this.actions = [
			el(
				"button",
				{
					type: "button",
					title: "Remove all filters",
					on: { click: on.reset },
				},
				"reset",
			),
			el(
				"button",
				{
					type: "button",
					title: "Help and keys ( ? )",
					on: { click: on.help },
				},
				"help",
			),
		];
	}

	show(state, matchedText) {
		if (this.search.value !== state.q) this.search.value = state.q;
		this.regex.input.checked = state.re;
		this.only.input.checked = state.only;
		this.app.input.checked = state.app;
		this.up.input.checked = state.up;
		this.view.value = state.view;
		this.thread.value = state.thread ?? "";
		this.process.value = state.process ?? "";
		this.package.value =
			state.package === null ? "" : this.model.packages.indexOf(state.package);
		fill(this.matched, matchedText);
	}
}
