// SPDX-License-Identifier: BSD-2-Clause

// The facts of a record, without the browser: its title, its activities, and how far its stacks
// can be trusted.

import { ACTIVITIES } from "./numbers.mjs";
import { STATUSES } from "./record.mjs";
import { grouped, percent, samples } from "./text.mjs";
import { countFunctions, functionRows } from "./rows.mjs";

/** Duration in microseconds. A killed recorder has not written it: the time of the last sample. */
function durationOf(record) {
	return record.summary?.duration_ns ? record.summary.duration_ns / 1000 : record.lastT + 1;
}

/** Length of the time axis in microseconds. Times count from before the first sample is taken. */
export function axisOf(record) {
	return Math.max(durationOf(record), record.lastT + 1);
}

function busiest(record) {
	return record.processes.reduce(
		(best, p) => (best && best.samples >= p.samples ? best : p),
		null,
	);
}

/** Returns { name, rest }: "server.js" and "(node 24.21.0, pid 812)  30.0 s  ...". */
export function titleOf(record) {
	const p = busiest(record),
		hz = record.header.hz,
		us = durationOf(record),
		parts = [];
	const pids = new Set(record.processes.filter((q) => q.samples).map((q) => q.pid)).size;

	if (!hz) return { name: "folded stacks", rest: samples(record.samples) };
	if (p)
		parts.push(
			`${p.runtime ? `${p.runtime.replace(/^Node\.js /, "node ")}, ` : ""}pid ${p.pid}` +
				(pids > 1 ? `, and ${pids - 1} more` : ""),
		);
	parts.push(
		`${(us / 1e6).toFixed(1)} s`,
		`${samples(record.samples)} at ${hz} Hz`,
		`${(record.samples / hz / (us / 1e6)).toFixed(2)} CPUs`,
	);
	if (record.header.start) parts.push(record.header.start.replace(/\.\d+Z$/, "Z"));
	return { name: p ? p.name || "unnamed" : "no process", rest: parts.join("  ·  ") };
}

/** Returns [{ activity, count }] of the activities that have samples. */
export function activitiesOf(record) {
	const counts = ACTIVITIES.map((activity) => ({ activity, count: 0 }));

	record.cells.count.forEach((n, cell) => (counts[record.cells.activity[cell]].count += n));
	return counts.filter(({ count }) => count);
}

const MEANINGS = {
	complete: "Every step was proven by an unwind row or a rule of the runtime, up to the root.",
	truncated: "The walk stopped before the root: callers are missing.",
	failed: "The walk met memory that it could not read or that can't be a stack: callers are missing.",
	guessed: "A frame was found by its frame pointer only, and nothing confirms it. Such frames are hatched.",
	unresolved: "The process had ended before its functions could be named.",
};

/**
 * Returns the groups of stacks on which trust depends: [{ id, name, count, meaning, reasons:
 * [{ id, name, count }] }]. An id is the value of the filter `status`.
 */
export function trustOf(model) {
	const { record } = model,
		groups = {};

	for (const id of Object.keys(MEANINGS))
		groups[id] = { id, name: id, count: 0, meaning: MEANINGS[id], reasons: new Map() };
	record.cells.count.forEach((count, cell) => {
		const stack = record.cells.stack[cell],
			{ unresolved } = record.slots[record.cells.slot[cell]];
		const group = groups[STATUSES[record.stackStatus[stack]]],
			reason = record.stackReason[stack];

		group.count += count;
		if (reason) group.reasons.set(reason, (group.reasons.get(reason) ?? 0) + count);
		groups.guessed.count += model.hasGuess[stack] ? count : 0;
		groups.unresolved.count += unresolved ? count : 0;
	});
	return Object.values(groups).map((group) => ({
		...group,
		reasons: [...group.reasons]
			.sort((a, b) => b[1] - a[1])
			.map(([name, count]) => ({ id: `${group.id}:${name}`, name, count })),
	}));
}

/** Returns the sentences about data that is missing from the record, the most serious first. */
export function warningsOf(record) {
	const found = [],
		{ summary } = record;

	if (!summary && record.header.hz)
		found.push(
			"The recording was interrupted: the record has no summary, and its end is missing.",
		);
	if (record.isCut) found.push("The last line of the record is incomplete and was left out.");
	if (summary?.lost_events)
		found.push(
			`${grouped(summary.lost_events)} process events were lost: names can be missing.`,
		);
	return found;
}

/** Returns { fn, self, share }: the application's function with the most time; null: none. */
export function hottest(model, weights, total) {
	const counts = countFunctions(model, weights, true),
		fn = functionRows(model, counts, "self")[0];

	return fn === undefined
		? null
		: { fn, self: counts.self[fn], share: percent(counts.self[fn], total) };
}
