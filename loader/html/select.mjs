// SPDX-License-Identifier: BSD-2-Clause

// Filters: from the state of the page to the number of samples that each cell and stack counts.

import { ACTIVITIES } from "./numbers.mjs";
import { STATUSES } from "./record.mjs";

const SPECIAL = /[.*+?^${}()|[\]\\]/g;

/**
 * Makes the test for a text to search: a part of "name (file:line)" in any case, or a regular
 * expression. Returns null without a text; `error` if the expression is invalid.
 */
export function matcher(query, isRegex) {
	if (!query) return null;
	try {
		const expression = isRegex
			? new RegExp(query, "u")
			: new RegExp(query.replace(SPECIAL, "\\$&"), "iu");

		return { test: (text) => expression.test(text) };
	} catch {
		return { test: () => false, error: `'${query}' is not a regular expression` };
	}
}

/** Returns a byte for each function: does it match? */
export function matchFunctions(model, match) {
	return Uint8Array.from(model.functions, (f) => (match?.test(f.label) ? 1 : 0));
}

/** Returns a byte for each stack: has it this status, and this reason? */
function stacksOfStatus(model, wanted) {
	const { stackStatus, stackReason } = model.record,
		[status, reason] = wanted.split(/:(.*)/s);

	if (status === "guessed") return model.hasGuess;
	return Uint8Array.from(stackStatus, (value, stack) =>
		Number(
			STATUSES[value] === status &&
				(reason === undefined || stackReason[stack] === reason),
		),
	);
}

/** Returns a byte for each slot: do its samples pass the filters of threads and processes? */
function passingSlots(model, { thread, process, status }) {
	return Uint8Array.from(model.record.slots, (slot, i) =>
		Number(
			(thread === null || model.threadOfSlot[i] === thread) &&
				(process === null || slot.process === process) &&
				(status !== "unresolved" || slot.unresolved),
		),
	);
}

/** Returns bytes for each stack, which all must be 1 if the filters let its samples pass. */
function passingStacks(model, { status, package: name }) {
	const masks = [];

	if (status && status !== "unresolved") masks.push(stacksOfStatus(model, status));
	if (name !== null)
		masks.push(
			model.stacksWith(
				(frame) => model.functions[model.ofFrame[frame]].package === name,
			),
		);
	return masks;
}

/** Returns the samples of each cell in @range, [since, until) in microseconds; null: all. */
function countRange({ cells, times, timeCells }, range) {
	if (!range) return cells.count;

	const counts = new Float64Array(cells.n),
		[since, until] = range;

	for (let i = 0; i < times.length; i++)
		if (times[i] >= since && times[i] < until) counts[timeCells[i]]++;
	return counts;
}

/**
 * Applies the filters.
 *
 * Returns
 *	isIn	a byte for each cell: all filters but the range let it pass
 *	weights	samples of each stack
 *	total	samples that pass the filters
 *	matched	of them, samples of stacks in which a function matches the text
 */
export function select(model, state, isMatch) {
	const { record } = model,
		{ n, slot, stack, activity } = record.cells,
		counts = countRange(record, state.range);
	const isIn = new Uint8Array(n),
		weights = new Float64Array(model.nStacks);
	const matches = isMatch ? model.stacksWith((frame) => isMatch[model.ofFrame[frame]]) : null;
	const slots = passingSlots(model, state),
		stacks = passingStacks(model, state);
	const kinds = ACTIVITIES.map((name) => !state.kinds.length || state.kinds.includes(name));
	let total = 0,
		matched = 0;

	if (matches && state.only) stacks.push(matches);
	for (let cell = 0; cell < n; cell++) {
		const at = stack[cell];

		if (
			!slots[slot[cell]] ||
			!kinds[activity[cell]] ||
			!stacks.every((mask) => mask[at])
		)
			continue;
		isIn[cell] = 1;
		weights[at] += counts[cell];
		total += counts[cell];
		matched += matches?.[at] ? counts[cell] : 0;
	}
	return { isIn, weights, total, matched };
}
