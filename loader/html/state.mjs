// SPDX-License-Identifier: BSD-2-Clause

// The state of the page, and its form in the fragment of the URL, so that a link shows the same
// view. Only values that differ from the default are in the fragment.
//
//	#view=icicle&up=1&app=1&zoom=3.17&fn=12&q=render&re=1&only=1&range=1200000-3400000
//	&thread=0&process=1&kind=gc.js&status=truncated:depth limit&package=express&sort=total

export const DEFAULTS = Object.freeze({
	view: "flame", // "flame": roots at the bottom, "icicle": roots at the top
	up: false, // callers of each leaf instead of the calls from the roots
	app: false, // my code only
	zoom: [], // functions from the root of the tree to the box that has the full width
	fn: null, // the function whose callers and callees are shown
	q: "",
	re: false,
	only: false,
	range: null, // [since, until) in microseconds
	thread: null,
	process: null,
	kinds: [], // activities
	status: "", // "truncated", "truncated:depth limit", "guessed", ...
	package: null,
	sort: "self",
});

const KEYS = { kinds: "kind" };

function number(text) {
	return /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
}

function numbers(text, separator) {
	const values = text.split(separator).map(number);

	return values.includes(null) ? null : values;
}

const readers = {
	view: (text) => (text === "icicle" ? text : "flame"),
	up: (text) => text === "1",
	app: (text) => text === "1",
	re: (text) => text === "1",
	only: (text) => text === "1",
	zoom: (text) => numbers(text, ".") ?? [],
	fn: number,
	thread: number,
	process: number,
	q: (text) => text,
	status: (text) => text,
	package: (text) => text,
	kinds: (text) => text.split(".").filter(Boolean),
	sort: (text) => (text === "total" ? text : "self"),
	range: (text) => {
		const range = numbers(text, "-");

		return range?.length === 2 && range[0] < range[1] ? range : null;
	},
};

const writers = {
	zoom: (value) => value.join("."),
	kinds: (value) => value.join("."),
	range: (value) => value.join("-"),
};

/** Reads a fragment, which anyone can have written; invalid values become the defaults. */
export function readFragment(fragment) {
	const parameters = new URLSearchParams(fragment.replace(/^#/, "")),
		state = { ...DEFAULTS };

	for (const key of Object.keys(DEFAULTS)) {
		const text = parameters.get(KEYS[key] ?? key);

		if (text !== null) state[key] = readers[key](text);
	}
	return state;
}

export function writeFragment(state) {
	const parameters = new URLSearchParams();

	for (const [key, value] of Object.entries(state)) {
		const text =
			writers[key] && value
				? writers[key](value)
				: value === true
					? "1"
					: String(value ?? "");

		if (JSON.stringify(value) !== JSON.stringify(DEFAULTS[key]))
			parameters.set(KEYS[key] ?? key, text);
	}
	return parameters.toString();
}

/** Replaces values that refer to nothing in this record. */
export function fitState(state, model) {
	const last = model.functions.length + model.ends.length;

	return {
		...state,
		fn: state.fn !== null && state.fn < model.functions.length ? state.fn : null,
		zoom: state.zoom.every((fn) => fn < last) ? state.zoom : [],
		thread:
			state.thread !== null && state.thread < model.threads.length
				? state.thread
				: null,
		process:
			state.process !== null && state.process < model.record.processes.length
				? state.process
				: null,
	};
}
