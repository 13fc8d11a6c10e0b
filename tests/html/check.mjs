// SPDX-License-Identifier: BSD-2-Clause

// Runs the tests of a file in order, and prints `N passed, N failed` as its last line.

export { default as assert } from "node:assert/strict";

/** @tests: { name: function, which may be async and throws on failure } */
export async function run(tests) {
	let failed = 0;

	for (const [name, test] of Object.entries(tests)) {
		try {
			await test();
			console.log(`ok   ${name}`);
		} catch (error) {
			failed++;
			console.log(`FAIL ${name}\n${error.stack ?? error}`);
		}
	}
	console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
	process.exitCode = failed ? 1 : 0;
}
