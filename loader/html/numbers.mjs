// SPDX-License-Identifier: BSD-2-Clause

// Values that the parts of a record share, an array of numbers that grows, and a table of pairs.

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

/** Numbers pairs of numbers in the order in which they are added: a hash table with open addressing. */
export class Pairs {
	constructor() {
		this.first = new Numbers(Uint32Array);
		this.second = new Numbers(Uint32Array);
		this.places = new Int32Array(1 << 12).fill(NONE);
	}

	place(first, second) {
		const { places } = this,
			mask = places.length - 1;
		let at = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 0;

		for (at = (at ^ (at >>> 15)) & mask; places[at] !== NONE; at = (at + 1) & mask)
			if (
				this.second.v[places[at]] === second &&
				this.first.v[places[at]] === first
			)
				break;
		return at;
	}

	grow() {
		this.places = new Int32Array(this.places.length * 4).fill(NONE);
		for (let i = 0; i < this.first.n; i++)
			this.places[this.place(this.first.v[i], this.second.v[i])] = i;
	}

	/** Returns the number of a pair, which is added if it is new. */
	number(first, second) {
		const at = this.place(first, second),
			known = this.places[at];

		if (known !== NONE) return known;
		this.places[at] = this.first.n;
		this.first.push(first);
		this.second.push(second);
		if (this.first.n * 2 > this.places.length) this.grow();
		return this.first.n - 1;
	}
}
