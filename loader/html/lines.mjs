// SPDX-License-Identifier: BSD-2-Clause

// Divides a stream of bytes into lines, and each line into a call of the record's builder.

import { PageError } from "./text.mjs";
import { Scan } from "./scan.mjs";

const NEWLINE = 10;

/** The lines of a record. Call take() for each chunk, then end(). */
export class Lines {
	constructor(builder) {
		this.builder = builder;
		this.scan = new Scan();
		this.decoder = new TextDecoder();
		this.rest = new Uint8Array(0);
		this.n = 0;
	}

	take(chunk) {
		let bytes = chunk,
			at = 0,
			end;

		if (this.rest.length) {
			bytes = new Uint8Array(this.rest.length + chunk.length);
			bytes.set(this.rest);
			bytes.set(chunk, this.rest.length);
		}
		while ((end = bytes.indexOf(NEWLINE, at)) >= 0) {
			this.line(bytes, at, end);
			at = end + 1;
		}
		this.rest = bytes.slice(at);
	}

	/** Ends the record. Returns whether its last line is incomplete, which is skipped. */
	end() {
		if (this.n === 0) throw new PageError("The record in this page is empty.");
		return this.rest.length > 0;
	}

	line(bytes, at, end) {
		const { scan, builder } = this;

		this.n++;
		if (this.n > 1 && scan.samples(bytes, at, end)) {
			builder.samples(
				scan.pid,
				scan.tid,
				scan.stackId,
				scan.count,
				scan.numbers,
				null,
			);
			return;
		}

		const id = this.n > 1 ? scan.stack(bytes, at, end) : -1;

		if (id >= 0) builder.stack(id, scan.numbers, "complete", undefined);
		else this.json(this.decoder.decode(bytes.subarray(at, end)));
	}

	json(text) {
		let value;

		try {
			value = JSON.parse(text);
		} catch {
			throw new PageError(`Line ${this.n} of the record is not JSON.`);
		}
		if (this.n === 1 && value?.type !== "header")
			throw new PageError(
				"This page contains no record of Unspool: its first line is not a header.",
			);
		this.builder.json(value);
	}
}
