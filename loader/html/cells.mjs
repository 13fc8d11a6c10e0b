// SPDX-License-Identifier: BSD-2-Clause

// The samples of a record. Samples of one process, thread and label have a slot; samples of one
// slot and stack are counted together in a cell. Each sample also has its time and its cell.
//
// A record can have a million lines of samples, so a line costs two look-ups and no string.

import { ACTIVITIES, NONE, Numbers, Pairs } from "./numbers.mjs";

const MAX_PID = 2 ** 22;

export class Cells {
	/** @builder: has the processes, the threads and the activities of stacks */
	constructor(builder) {
		this.builder = builder;
		this.slots = [];
		this.slotIndex = new Map();
		this.plainSlots = new Map(); // pid and tid -> slot of samples without labels
		this.lastPid = this.lastTid = this.lastSlot = NONE;
		this.pairs = new Pairs(); // slot and stack of each cell
		this.activity = new Numbers(Uint8Array);
		this.count = new Numbers(Float64Array);
		this.times = new Numbers(Float64Array);
		this.timeCells = new Numbers(Uint32Array);
	}

	/** Forgets the slots of pids and tids, because a line has replaced a process or thread. */
	forgetSlots() {
		this.plainSlots.clear();
		this.lastPid = NONE;
	}

	plainSlot(pid, tid) {
		if (pid === this.lastPid && tid === this.lastTid) return this.lastSlot;

		const key = pid * MAX_PID + tid,
			known = this.plainSlots.get(key);
		const slot = known ?? this.slotOf(pid, tid, null);

		this.plainSlots.set(key, slot);
		this.lastPid = pid;
		this.lastTid = tid;
		this.lastSlot = slot;
		return slot;
	}

	slotOf(pid, tid, labels) {
		const { builder } = this,
			process = builder.currentProcess.get(pid) ?? builder.process({ pid });
		const thread = builder.currentThread.get(`${pid} ${tid}`) ?? NONE;
		const activity = ACTIVITIES.indexOf(labels?.activity),
			unresolved = Boolean(labels?.unresolved);
		const key = `${process} ${thread} ${tid} ${activity} ${unresolved}`;

		if (!this.slotIndex.has(key)) {
			this.slotIndex.set(key, this.slots.length);
			this.slots.push({ process, thread, tid, activity, unresolved });
		}
		return this.slotIndex.get(key);
	}

	cellOf(slot, stack) {
		const cell = this.pairs.number(slot, stack),
			{ activity } = this.slots[slot];

		if (cell === this.count.n) {
			this.activity.push(
				activity === NONE ? this.builder.stackActivity.v[stack] : activity,
			);
			this.count.push(0);
		}
		return cell;
	}

	/** Adds samples. @times: the first since the start, then differences; may be empty */
	add(pid, tid, stack, labels, count, times) {
		const slot = labels ? this.slotOf(pid, tid, labels) : this.plainSlot(pid, tid);
		const cell = this.cellOf(slot, stack);
		let t = 0;

		this.count.v[cell] += count;
		this.builder.record.processes[this.slots[slot].process].samples += count;
		for (let i = 0; i < times.length; i++) {
			t += times[i];
			this.times.push(t);
			this.timeCells.push(cell);
		}
	}

	done() {
		const count = this.count.done(),
			times = this.times.done();

		return {
			slots: this.slots,
			cells: {
				n: count.length,
				slot: this.pairs.first.done(),
				stack: this.pairs.second.done(),
				activity: this.activity.done(),
				count,
			},
			times,
			timeCells: this.timeCells.done(),
			samples: count.reduce((sum, n) => sum + n, 0),
			lastT: times.reduce((most, t) => Math.max(most, t), 0),
		};
	}
}
