// SPDX-License-Identifier: BSD-2-Clause

// Tables: self and total samples of each function, and of each executed line of a function.

/**
 * Counts the samples of each function.
 *
 * Returns { self, total }, arrays by function. With @appOnly, the time of other code counts for
 * the function of the application that called it.
 */
export function countFunctions(model, weights, appOnly) {
	const n = model.functions.length,
		self = new Float64Array(n),
		total = new Float64Array(n);
	const seen = new Int32Array(n).fill(-1),
		{ start, fns } = model.paths(appOnly);

	for (let stack = 0; stack < weights.length; stack++) {
		const weight = weights[stack],
			from = start[stack],
			to = weight ? start[stack + 1] : from;

		for (let i = from; i < to && fns[i] < n; i++) {
			if (i === from) self[fns[i]] += weight;
			if (seen[fns[i]] !== stack) total[fns[i]] += weight;
			seen[fns[i]] = stack;
		}
	}
	return { self, total };
}

function byText(model, a, b) {
	const x = model.functions[a],
		y = model.functions[b];

	return x.name < y.name
		? -1
		: x.name > y.name
			? 1
			: x.place < y.place
				? -1
				: x.place > y.place
					? 1
					: 0;
}

/** Returns the functions with samples, sorted by @key ("self" or "total"), then by the other. */
export function functionRows(model, counts, key) {
	const first = counts[key],
		second = key === "self" ? counts.total : counts.self,
		rows = [];

	for (let fn = 0; fn < first.length; fn++) if (counts.total[fn]) rows.push(fn);
	return rows.sort(
		(a, b) => first[b] - first[a] || second[b] - second[a] || byText(model, a, b),
	);
}

/** Returns [{ line, self, total }] of a function's executed lines, by line. */
export function lineRows(model, weights, fn) {
	const { stackStart, stackFrames, frames } = model.record,
		lines = new Map();

	for (let stack = 0; stack < weights.length; stack++) {
		const seen = new Set();

		for (let i = stackStart[stack]; weights[stack] && i < stackStart[stack + 1]; i++) {
			const frame = frames[stackFrames[i]],
				line = frame.line ?? 0;

			if (model.ofFrame[stackFrames[i]] !== fn) continue;
			if (!lines.has(line)) lines.set(line, { line, self: 0, total: 0 });
			lines.get(line).self += i === stackStart[stack] ? weights[stack] : 0;
			lines.get(line).total += seen.has(line) ? 0 : weights[stack];
			seen.add(line);
		}
	}
	return [...lines.values()].sort((a, b) => a.line - b.line);
}
