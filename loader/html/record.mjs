// SPDX-License-Identifier: BSD-2-Clause

// A record in memory, as struct prof_data in loader/profile/data.h: frames, stacks, processes and
// threads are indices into arrays. Samples with the same stack and slot (process, thread, labels) are
// counted together in a cell; each sample also keeps its time.

import { Cells } from "./cells.mjs";
import { ACTIVITIES, NONE, Numbers } from "./numbers.mjs";
import { PageError } from "./text.mjs";

export const SCHEMA = 1;
export const STATUSES = ["complete", "truncated", "failed"];

const ACTIVITY_OF_KIND = { dotnet: "dotnet", jit: "jit", native: "native", kernel: "kernel" };
const KINDS_OF_V8 = new Set(["js", "wasm", "builtin", "regexp", "stub"]);

/** Activity of a stack whose leaf has this kind, as prof_activity_of_kind() in C. */
export function activityOfKind(kind) {
	return ACTIVITIES.indexOf(
		KINDS_OF_V8.has(kind) ? "js" : (ACTIVITY_OF_KIND[kind] ?? "native"),
	);
}

/** Builds a record from its lines. */
export class Builder {
	constructor() {
		this.record = {
			header: null,
			summary: null,
			processes: [],
			threads: [],
			frames: [],
			stackStatus: [],
			stackReason: [],
			slots: [],
			sources: [],
		};
		this.frameIndex = new Map();
		this.stackIndex = new Map();
		this.currentProcess = new Map(); // pid -> index
		this.currentThread = new Map(); // "pid tid" -> index
		this.cells = new Cells(this);
		this.stackStart = new Numbers(Uint32Array);
		this.stackActivity = new Numbers(Uint8Array); // of the leaf
		this.stackFrames = new Numbers(Uint32Array);
	}

	json(line) {
		switch (line?.type) {
			case "header":
				return this.header(line);
			case "process":
				return this.process(line);
			case "thread":
				this.cells.forgetSlots();
				this.currentThread.set(
					`${line.pid} ${line.tid}`,
					this.record.threads.length,
				);
				return void this.record.threads.push(String(line.name ?? ""));
			case "frame":
				this.frameIndex.set(line.id, this.record.frames.length);
				return void this.record.frames.push(line);
			case "stack":
				return this.stack(
					line.id,
					line.frames ?? [],
					line.status,
					line.reason,
				);
			case "samples":
				return this.samples(
					line.pid,
					line.tid,
					line.stack,
					line.count,
					line.t ?? [],
					line.labels,
				);
			case "source":
				return void this.record.sources.push(line);
			case "summary":
				this.record.summary = line;
		}
	}

	header(line) {
		if (this.record.header)
			throw new PageError("The record in this page has two headers.");
		if (line.schema !== SCHEMA)
			throw new PageError(
				`The record in this page has schema ${line.schema}, but this page reads ` +
					`schema ${SCHEMA}. Open it with a newer Unspool: unspool convert OLD.html NEW.html.`,
			);
		this.record.header = line;
	}

	process(line) {
		this.cells.forgetSlots();
		this.currentProcess.set(line.pid, this.record.processes.length);
		this.record.processes.push({ ...line, samples: 0 });
		return this.record.processes.length - 1;
	}

	stack(id, frames, status, reason) {
		const at = this.stackStart.n;

		this.stackIndex.set(id, at);
		this.stackStart.push(this.stackFrames.n);
		for (let i = 0; i < frames.length; i++) {
			const frame = this.frameIndex.get(frames[i]);

			if (frame === undefined)
				throw new PageError(
					"The record in this page is corrupt: a stack has an unknown frame.",
				);
			this.stackFrames.push(frame);
		}
		this.stackActivity.push(
			activityOfKind(
				frames.length
					? this.record.frames[
							this.stackFrames.v[this.stackStart.v[at]]
						].kind
					: "",
			),
		);
		this.record.stackStatus.push(Math.max(0, STATUSES.indexOf(status)));
		this.record.stackReason.push(
			status === "complete" ? "" : String(reason ?? "no reason given"),
		);
	}

	samples(pid, tid, id, count, times, labels) {
		const stack = this.stackIndex.get(id);

		if (stack === undefined)
			throw new PageError(
				"The record in this page is corrupt: samples have an unknown stack.",
			);
		if (!(count >= 0) || (times.length && times.length !== count))
			throw new PageError(
				"The record in this page is corrupt: samples lack their times.",
			);

		this.cells.add(pid, tid, stack, labels, count, times);
	}

	/** Returns the record. @isCut: the last line was incomplete. */
	done(isCut) {
		const { record } = this;

		this.stackStart.push(this.stackFrames.n);
		record.isCut = isCut;
		record.stackStart = this.stackStart.done();
		record.stackFrames = this.stackFrames.done();
		return Object.assign(record, this.cells.done());
	}
}
