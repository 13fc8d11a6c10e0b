// SPDX-License-Identifier: BSD-2-Clause

// A record with all that the views need: functions, threads, and the path of each stack as
// functions, leaf first, in which equal neighbours are merged.
//
// A stack that is not complete has one element more, at its root: a pseudo function that names the
// reason. Pseudo functions have the numbers after the last function; no table counts them.

import { findFunctions } from "./functions.mjs";
import { findThreads } from "./threads.mjs";
import { NONE } from "./numbers.mjs";
import { STATUSES } from "./record.mjs";

export const INLINED = 1,
	GUESS = 2,
	ASYNC = 4;
const MIXED = 255;

/** Numbers the reasons of incomplete stacks. ofStack: index, or -1 for a complete stack. */
function findEnds(record) {
	const index = new Map(),
		ends = [],
		ofStack = new Int32Array(record.stackStatus.length).fill(-1);

	for (let i = 0; i < ofStack.length; i++) {
		const status = STATUSES[record.stackStatus[i]],
			reason = record.stackReason[i];
		const key = `${status}: ${reason}`;

		if (status === "complete") continue;
		if (!index.has(key)) {
			index.set(key, ends.length);
			ends.push({ status, reason, name: key });
		}
		ofStack[i] = index.get(key);
	}
	return { ends, ofStack };
}

function marksOf(frames) {
	return Uint8Array.from(
		frames,
		(f) => (f.inlined ? INLINED : 0) | (f.guess ? GUESS : 0) | (f.async ? ASYNC : 0),
	);
}

/** Numbers the tiers of frames from 1; 0: no tier. */
function tiersOf(frames) {
	const names = [""],
		of = new Uint8Array(frames.length);

	frames.forEach((f, i) => {
		if (!f.tier) return;
		if (!names.includes(f.tier) && names.length < MIXED) names.push(f.tier);
		of[i] = Math.max(0, names.indexOf(f.tier));
	});
	return { names, of };
}

export class Model {
	constructor(record) {
		const { functions, ofFrame } = findFunctions(record);
		const { threads, ofSlot } = findThreads(record);
		const { ends, ofStack } = findEnds(record);

		Object.assign(this, {
			record,
			functions,
			ofFrame,
			threads,
			threadOfSlot: ofSlot,
			ends,
			endOfStack: ofStack,
			nStacks: record.stackStatus.length,
		});
		this.marks = marksOf(record.frames);
		this.tiers = tiersOf(record.frames);
		this.isApp = Uint8Array.from(functions, (f) => (f.origin === "app" ? 1 : 0));
		this.hasGuess = this.stacksWith((frame) => this.marks[frame] & GUESS);
		this.packages = [...new Set(functions.map((f) => f.package))].sort();
	}

	/** Returns a byte for each stack: does a frame of it satisfy @test? */
	stacksWith(test) {
		const { stackStart, stackFrames } = this.record,
			is = new Uint8Array(this.nStacks);

		for (let stack = 0; stack < is.length; stack++)
			for (
				let i = stackStart[stack];
				i < stackStart[stack + 1] && !is[stack];
				i++
			)
				is[stack] = test(stackFrames[i]) ? 1 : 0;
		return is;
	}

	/** Name of function or pseudo function @fn. */
	nameOf(fn) {
		return fn < this.functions.length
			? this.functions[fn].name
			: this.ends[fn - this.functions.length].name;
	}

	isEnd(fn) {
		return fn >= this.functions.length;
	}

	/**
	 * The paths of all stacks: { start, fns, frames }; the path of a stack is from start[stack] to
	 * start[stack + 1].
	 *
	 * @appOnly: leave out other functions than those of the application
	 */
	paths(appOnly) {
		const key = appOnly ? "app" : "all";

		this.pathCache ??= {};
		this.pathCache[key] ??= this.findPaths(appOnly);
		return this.pathCache[key];
	}

	findPaths(appOnly) {
		const { stackStart, stackFrames } = this.record,
			start = new Uint32Array(this.nStacks + 1);
		const room = stackFrames.length + this.nStacks,
			fns = new Int32Array(room),
			frames = new Int32Array(room);
		let n = 0;

		for (let stack = 0; stack < this.nStacks; stack++) {
			start[stack] = n;
			for (let i = stackStart[stack]; i < stackStart[stack + 1]; i++) {
				const fn = this.ofFrame[stackFrames[i]];

				if (
					(appOnly && !this.isApp[fn]) ||
					(n > start[stack] && fns[n - 1] === fn)
				)
					continue;
				fns[n] = fn;
				frames[n++] = stackFrames[i];
			}
			if (this.endOfStack[stack] >= 0) {
				fns[n] = this.functions.length + this.endOfStack[stack];
				frames[n++] = NONE;
			}
		}
		start[this.nStacks] = n;
		return { start, fns, frames };
	}
}
