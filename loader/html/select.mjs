// SPDX-License-Identifier: BSD-2-Clause

// Filters: from the state of the page to the number of samples that each cell and stack counts.

import { ACTIVITIES, STATUSES } from "./record.mjs";

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

function statusTest(model, wanted) {
	const { record } = model,
		[status, reason] = wanted.split(/:(.*)/s);

	switch (status) {
		case "guessed":
			return (cell) => model.hasGuess[cell.stack] === 1;
		case "unresolved":
			return (cell) => cell.unresolved;
		default:
			return (cell) =>
				STATUSES[record.stackStatus[cell.stack]] === status &&
				(reason === undefined || record.stackReason[cell.stack] === reason);
	}
}

/** Returns the tests of a cell that the filters in @state require, except the range and the text. */
function cellTests(model, state) {
	const tests = [];

	if (state.thread !== null) tests.push((cell, i) => model.threadOfCell[i] === state.thread);
	if (state.process !== null) tests.push((cell) => cell.process === state.process);
	if (state.kinds.length)
		tests.push((cell) => state.kinds.includes(ACTIVITIES[cell.activity]));
	if (state.status) tests.push(statusTest(model, state.status));
	if (state.package !== null) {
		const has = model.stacksWith(
			(frame) => model.functions[model.ofFrame[frame]].package === state.package,
		);

		tests.push((cell) => has[cell.stack] === 1);
	}
	return tests;
}

/** Returns the samples of each cell in @range, [since, until) in microseconds; null: all. */
function countRange(record, range) {
	const counts = new Float64Array(record.cells.length);

	if (!range) {
		record.cells.forEach((cell, i) => (counts[i] = cell.count));
		return counts;
	}

	const { times, timeCells } = record,
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
		tests = cellTests(model, state),
		counts = countRange(record, state.range);
	const isIn = new Uint8Array(record.cells.length),
		weights = new Float64Array(model.nStacks);
	const matches = isMatch ? model.stacksWith((frame) => isMatch[model.ofFrame[frame]]) : null;
	let total = 0,
		matched = 0;

	record.cells.forEach((cell, i) => {
		if (
			!tests.every((test) => test(cell, i)) ||
			(matches && state.only && !matches[cell.stack])
		)
			return;
		isIn[i] = 1;
		weights[cell.stack] += counts[i];
		total += counts[i];
		matched += matches?.[cell.stack] ? counts[i] : 0;
	});
	return { isIn, weights, total, matched };
}
