// SPDX-License-Identifier: BSD-2-Clause

// Help: the keys, the legend, and the licences of the parts of the page.

import { el } from "./dom.mjs";
import { ORIGINS, swatch } from "./paint.mjs";

const KEYS = [
	["/", "search"],
	["arrow keys", "move in the flame graph or the time strip"],
	["Enter", "zoom to the selected box"],
	["Backspace", "zoom out one level"],
	["Escape", "undo one step: zoom, then callers and callees, then filters"],
	["s", "callers and callees of the selected function"],
	["c", "copy the stack of the selected box"],
	["i", "invert: callers of each function"],
	["m", "my code only"],
	["r", "roots above or below"],
	["Shift and arrow keys", "select a range in the time strip"],
	["?", "this help"],
];

const SIGNS = [
	["torn edge", "the stack is truncated or failed; its real callers are unknown"],
	["thick stripes", "a guess: found by frame pointer, confirmed by nothing"],
	["⤷ and a dashed frame", "an inlined function: it has no frame of its own on the stack"],
	["dotted frame, async", "an async caller: it awaits the function and is not on the stack"],
	["I B M T at the right", "tier of JavaScript: interpreted, baseline, Maglev, TurboFan"],
];

/** A legend of the colours: your code, packages, ... */
export function legend() {
	return el(
		"div",
		{ class: "legend", "aria-label": "Legend", role: "group" },
		Object.entries(ORIGINS).map(([origin, { name }]) =>
			el("span", {}, swatch(origin), name),
		),
		el("span", {}, swatch("native", true), "guess"),
	);
}

function list(pairs, tag) {
	return el(
		"dl",
		{},
		pairs.map(([name, text]) => [el("dt", {}, el(tag, {}, name)), el("dd", {}, text)]),
	);
}

export function helpDialog(version) {
	const dialog = el(
		"dialog",
		{ "aria-label": "Help" },
		el("h2", {}, "Keys"),
		list(KEYS, "kbd"),
		el("h2", {}, "Signs"),
		list(SIGNS, "b"),
		legend(),
		el("h2", {}, "About"),
		el(
			"p",
			{},
			"This file is the whole recording. It makes no request, and can be sent like any other file. It " +
				"has the names of functions, files, processes and commands. `unspool report FILE` and " +
				"`unspool convert FILE OUT` read it.",
		),
		el(
			"p",
			{},
			`Made by Unspool ${version}. The program in this page is part of Unspool (BSD-2-Clause) ` +
				"and contains no code of others.",
		),
		el("form", { method: "dialog" }, el("button", {}, "close")),
	);

	return dialog;
}
