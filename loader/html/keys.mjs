// SPDX-License-Identifier: BSD-2-Clause

// The keys that work everywhere in the page. The flame graph and the time strip have keys of their
// own.

import { copyText } from "./dom.mjs";
import { DEFAULTS } from "./state.mjs";
import { visible } from "./text.mjs";

function nameText(model, frame) {
	const f = model.functions[model.ofFrame[frame]],
		{ record } = model,
		{ line, tier, inlined } = record.frames[frame];

	return `${f.name} (${f.where}${line ? `:${line}` : ""})${tier ? ` [${tier}]` : ""}${inlined ? " [inlined]" : ""}`;
}

/** Copies the stack with the most samples in the box that is described. */
async function copyStack(page) {
	const { tree, node } = page.shown,
		{ stackStart, stackFrames } = page.model.record;
	const stack = tree.heaviestStack(node, page.selection.weights);

	if (stack < 0) return;

	const frames = stackFrames.subarray(stackStart[stack], stackStart[stack + 1]);
	const text = Array.from(frames, (frame) => visible(nameText(page.model, frame))).join("\n");

	page.say(
		(await copyText(text))
			? `copied a stack of ${frames.length} frames, leaf first`
			: "the browser does not allow copying",
	);
}

/** Undoes one thing: the zoom, the chosen function, or the filters. */
function escape(page) {
	const { zoom, fn, view } = page.state;

	if (zoom.length) page.set({ zoom: [] });
	else if (fn !== null) page.set({ fn: null });
	else page.set({ ...DEFAULTS, view });
}

function leaveSearch(page) {
	page.controls.search.blur();
	if (page.state.q) page.set({ q: "", only: false });
}

const ACTIONS = {
	"/": (page) => page.controls.search.focus(),
	"?": (page) => page.help.showModal(),
	i: (page) => page.set({ up: !page.state.up, zoom: [] }),
	m: (page) => page.set({ app: !page.state.app, zoom: [] }),
	r: (page) => page.set({ view: page.state.view === "flame" ? "icicle" : "flame" }),
	c: copyStack,
	Escape: escape,
};

export function onKey(page, event) {
	const isSearch = event.target === page.controls.search;
	const action = isSearch ? event.key === "Escape" && leaveSearch : ACTIONS[event.key];

	if (!action || event.ctrlKey || event.metaKey || event.altKey || page.help.open) return;
	event.preventDefault();
	action(page);
}
