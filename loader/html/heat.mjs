// SPDX-License-Identifier: BSD-2-Clause

// The heat map of a recording: a grid of time slices. A column is a part of the recording from left
// to right; its cells, from bottom to top, are slices of 10 ms, or of a multiple of 10 ms if the
// recording is long.

const SLICE_US = 10000;

/** Divides @durationUs into columns. Returns { columns, rows, sliceUs, columnUs }. */
export function makeGrid(durationUs, mostColumns, mostRows) {
	const slices = Math.max(1, Math.ceil(durationUs / SLICE_US));
	const columns = Math.max(1, Math.min(mostColumns, slices));
	const perColumn = Math.ceil(slices / columns),
		merged = Math.ceil(perColumn / mostRows);
	const rows = Math.ceil(perColumn / merged),
		sliceUs = SLICE_US * merged;

	return {
		columns: Math.ceil(durationUs / (rows * sliceUs)) || 1,
		rows,
		sliceUs,
		columnUs: rows * sliceUs,
	};
}

/**
 * Counts the samples of the cells that @isIn marks, by slice.
 *
 * Returns { counts, activity, most }: for each slice its samples and its most frequent activity,
 * and the largest count.
 */
export function countSlices(record, isIn, grid, nActivities) {
	const n = grid.columns * grid.rows,
		counts = new Uint32Array(n),
		activity = new Uint8Array(n);
	const byActivity = new Uint32Array(n * nActivities);
	let most = 0;

	for (let i = 0; i < record.times.length; i++) {
		const cell = record.timeCells[i],
			slice = Math.floor(record.times[i] / grid.sliceUs);

		if (!isIn[cell] || slice >= n) continue;

		const act = record.cells.activity[cell],
			of = ++byActivity[slice * nActivities + act];

		most = Math.max(most, ++counts[slice]);
		if (of >= byActivity[slice * nActivities + activity[slice]]) activity[slice] = act;
	}
	return { counts, activity, most };
}
