// SPDX-License-Identifier: BSD-2-Clause
//
// v8_profile.mjs: profiles itself with node:inspector for a moment, with idle time in the middle,
// and prints V8's profile, which .cpuprofile files contain.
import { Session } from "node:inspector/promises";

function work(ms) {
	let n = 0;

	for (const end = Date.now() + ms; Date.now() < end;) n += Math.sqrt(n + 1);
	return n;
}

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.start");
work(60);
await new Promise((done) => setTimeout(done, 60));
work(60);
console.log(JSON.stringify((await session.post("Profiler.stop")).profile));
