// SPDX-License-Identifier: BSD-2-Clause

// Values that the parts of a record share, and an array of numbers that grows.

export const ACTIVITIES = ["js", "gc", "compile", "dotnet", "jit", "native", "kernel"];
export const NONE = -1;

/** An array of numbers that grows. */
export class Numbers {
	constructor(type) {
		this.v = new type(1024);
		this.n = 0;
	}

	push(value) {
		if (this.n === this.v.length) {
			const bigger = new this.v.constructor(this.n * 2);

			bigger.set(this.v);
			this.v = bigger;
		}
		this.v[this.n++] = value;
	}

	done() {
		return this.v.subarray(0, this.n);
	}
}
