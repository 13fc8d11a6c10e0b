// SPDX-License-Identifier: BSD-2-Clause

// Labels of threads, by the rules of loader/query/threads.h: "main thread", "worker 2", or the
// thread's last name.

import { NONE } from "./numbers.mjs";

const COMMON = new Set(["", "node", "WorkerThread"]); // names that Node.js gives to its threads

/** Marks the stacks with a frame of JavaScript. */
function stacksOfJs(record) {
	const { stackStart, stackFrames, frames } = record,
		is = new Uint8Array(stackStart.length - 1);

	for (let stack = 0; stack < is.length; stack++)
		for (let i = stackStart[stack]; i < stackStart[stack + 1] && !is[stack]; i++)
			is[stack] = frames[stackFrames[i]].kind === "js" ? 1 : 0;
	return is;
}

function labelOf(record, thread, count) {
	const name = thread.name === NONE ? "" : record.threads[thread.name];

	if (thread.tid === record.processes[thread.process].pid) return "main thread";
	if (!thread.runsJs) return name || "unnamed";
	return COMMON.has(name) ? `worker ${count()}` : `worker ${count()} ${name}`;
}

/** Marks the slots with a stack of JavaScript. */
function slotsOfJs(record) {
	const isJs = stacksOfJs(record),
		{ n, slot, stack } = record.cells,
		is = new Uint8Array(record.slots.length);

	for (let cell = 0; cell < n; cell++) is[slot[cell]] |= isJs[stack[cell]];
	return is;
}

/**
 * Finds the threads that have samples.
 *
 * Returns { threads: [{ process, tid, label }], ofSlot }, sorted by process and tid.
 */
export function findThreads(record) {
	const index = new Map(),
		isJs = slotsOfJs(record);
	const ofSlot = record.slots.map(({ process, tid, thread: name }, slot) => {
		const key = `${process} ${tid}`;

		if (!index.has(key)) index.set(key, { process, tid, name: NONE, runsJs: false });

		const thread = index.get(key);

		thread.name = Math.max(thread.name, name);
		thread.runsJs ||= isJs[slot] === 1;
		return thread;
	});
	const threads = [...index.values()].sort((a, b) => a.process - b.process || a.tid - b.tid);
	let workers = 0;

	threads.forEach((thread, i) => {
		if (i && threads[i - 1].process !== thread.process) workers = 0;
		thread.index = i;
		thread.label = labelOf(record, thread, () => ++workers);
	});
	return { threads, ofSlot: ofSlot.map((thread) => thread.index) };
}
