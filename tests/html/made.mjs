// SPDX-License-Identifier: BSD-2-Clause

// Makes records for tests, as lines of a profile, and pages that carry any text as their record.

import fs from "node:fs";
import zlib from "node:zlib";
import { Lines } from "../../loader/html/lines.mjs";
import { Builder } from "../../loader/html/record.mjs";

const RECORD = /(<script type="application\/json" id="unspool-record">\n)[^]*?(\n<\/script>)/;

export const HEADER = {
	type: "header",
	schema: 1,
	unspool: "0.1.0",
	start: "2026-01-02T03:04:05.000Z",
	hz: 99,
	mode: "cpu",
};

/** Names that a hostile process could have. */
export const HOSTILE = [
	"</script><img src=x onerror=\"document.title='broken'\">",
	"<!--<script>",
	"\u202egnp.js\u2066x",
	"nul\0nul",
	"\ud800lone\udfff",
	"x".repeat(10000),
	"__proto__",
	"constructor",
	"'\"&<>`${1}",
	"\u001b[31mred\u2028\u2029",
	"😀 é 漢字",
];

/** A generator of numbers below @n, equal in each run. */
export function makeRandom(seed) {
	let state = seed;

	return (n) => {
		state = (Math.imul(state, 1103515245) + 12345) >>> 0;
		return (state >>> 8) % n;
	};
}

const KINDS = [
	{ kind: "js", file: "/srv/app/server.js" },
	{ kind: "js", file: "/srv/app/node_modules/@a/b/i.js" },
	{ kind: "js", file: "/srv/node_modules/.pnpm/x@1.2.3_y/node_modules/x/x.js" },
	{ kind: "js", file: "node:fs" },
	{ kind: "builtin", name: "ArrayMap" },
	{ kind: "regexp" },
	{ kind: "stub" },
	{ kind: "wasm", file: "wasm://wasm/1" },
	{ kind: "dotnet", module: "App" },
	{ kind: "dotnet", module: "System.Linq" },
	{ kind: "jit", name: "py::f /lib/python3/x" },
	{ kind: "native", module: "/usr/lib/libz.so.1", off: "0x10" },
	{ kind: "native", module: "/usr/lib/libz.so.1", off: "0x2010", start_off: "0x2000" },
	{ kind: "native", module: "/usr/lib/libz.so.1", off: "0x2018", start_off: "0x2000" },
	{ kind: "native", module: "/usr/lib/libz.so.1", build_id: "ab", off: "0x2018", start_off: "0x2000" },
	{ kind: "native", module: "/srv/prog", name: "work" },
	{ kind: "native", module: "/srv/prog", name: "runtime.mallocgc" },
	{ kind: "native", name: "free", module: "/lib/libc.so.6" },
	{ kind: "kernel", name: "vfs_read", module: "[kernel]" },
	{ kind: "js", file: "internal/timers.js" },
	{ kind: "jit", off: "0x20", reason: "not in its perf map" },
	{ kind: "jit", off: "0x30", start_off: "0x28", reason: "the JIT gave it no name" },
];

function frameLine(id, random) {
	const base = KINDS[random(KINDS.length)],
		line = random(40) + 1,
		start = random(4) * 10 + 1;
	const f = { type: "frame", id, ...base };

	if (base.file) {
		f.name = random(6) ? `f${random(12)}` : random(2) ? "(anonymous)" : undefined;
		f.line = line;
		if (random(3))
			Object.assign(f, { start_line: start, start_column: random(2) ? 5 : 40 });
		f.tier = ["interpreted", "baseline", "maglev", "turbofan"][random(4)];
	}
	if (!random(9)) f.inlined = true;
	if (!random(40)) f.guess = true;
	return f;
}

function stackLine(id, nFrames, random) {
	const frames = Array.from({ length: random(24) }, () => random(nFrames) + 1),
		end = random(8);
	const status = end === 0 ? "truncated" : end === 1 ? "failed" : "complete";

	return {
		type: "stack",
		id,
		frames,
		status,
		...(status === "complete"
			? {}
			: { reason: ["depth limit", "no unwind row", "fault"][random(3)] }),
	};
}

/** Returns the lines of a random record, as objects. */
export function makeRecord({ seed = 1, frames = 120, stacks = 200, lines = 600 } = {}) {
	const random = makeRandom(seed),
		out = [HEADER];

	out.push(
		{
			type: "process",
			pid: 7,
			name: "server.js",
			exe: "/usr/bin/node",
			runtime: "Node.js 24.21.0",
		},
		{ type: "process", pid: 9, name: "prog", exe: "/srv/prog" },
		{ type: "thread", pid: 7, tid: 7, name: "MainThread" },
		{ type: "thread", pid: 7, tid: 8, name: "WorkerThread" },
		{ type: "thread", pid: 9, tid: 9, name: "prog" },
		{ type: "thread", pid: 7, tid: 10, name: "V8Worker" },
	);
	for (let id = 1; id <= frames; id++) out.push(frameLine(id, random));
	for (let id = 1; id <= stacks; id++) out.push(stackLine(id, frames, random));
	for (let i = 0; i < lines; i++) {
		const [pid, tid] = [
				[7, 7],
				[7, 8],
				[9, 9],
				[7, 10],
			][random(4)],
			count = random(5) + 1;
		const t = Array.from({ length: count }, (_, k) =>
			k ? random(9000) : i * 10000 + random(9000),
		);
		const labels = random(7)
			? undefined
			: random(2)
				? { activity: "gc" }
				: { unresolved: true };

		out.push({
			type: "samples",
			pid,
			tid,
			stack: random(stacks) + 1,
			count,
			t,
			...(labels && { labels }),
		});
	}
	return out;
}

/** A record of one process in which each stack, a list of names from the root, has @count samples. */
export function recordOf(stacks) {
	const out = [HEADER, { type: "process", pid: 7, name: "a.js", runtime: "Node.js 24.21.0" }],
		ids = new Map();

	for (const name of stacks.flatMap(([names]) => names)) {
		if (!ids.has(name)) {
			ids.set(name, ids.size + 1);
			out.push({
				type: "frame",
				id: ids.get(name),
				kind: "js",
				name,
				file: "/srv/a.js",
				line: ids.size,
				start_line: ids.size,
			});
		}
	}
	stacks.forEach(([names, count, end], i) => {
		out.push(
			{
				type: "stack",
				id: i + 1,
				frames: names.map((name) => ids.get(name)).reverse(),
				...(end ?? { status: "complete" }),
			},
			{
				type: "samples",
				pid: 7,
				tid: 7,
				stack: i + 1,
				count,
				t: Array.from({ length: count }, () => 10000),
			},
		);
	});
	return out;
}

export function textOf(lines) {
	return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Reads lines as the page does. @part: bytes per chunk */
export function read(lines, part = 1 << 16) {
	const builder = new Builder(),
		reader = new Lines(builder),
		bytes = Buffer.from(typeof lines === "string" ? lines : textOf(lines));

	for (let at = 0; at < bytes.length; at += part) reader.take(bytes.subarray(at, at + part));
	return builder.done(reader.end());
}

/** Returns the JSON of a record in a page. */
export function recordJson(text) {
	return JSON.stringify({ record: zlib.gzipSync(text).toString("base64") });
}

/** Writes a page made from @template, a page of Unspool, with another record. */
export function writePage(template, path, json) {
	const page = fs.readFileSync(template, "utf8");

	if (!RECORD.test(page)) throw new Error(`${template} has no record`);
	fs.writeFileSync(
		path,
		page.replace(RECORD, (_, start, end) => start + json + end),
	);
	return path;
}
