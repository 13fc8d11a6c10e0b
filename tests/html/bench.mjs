// SPDX-License-Identifier: BSD-2-Clause

// bench.mjs UNSPOOL: size of a page with 1,000,000 samples in 100,000 stacks, and the time that
// Chromium takes to open it and to zoom. The times depend on the load of the machine; the last figure
// of each line is a ratio within this run.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { newTab, start } from "./browser.mjs";
import { HEADER, makeRandom } from "./made.mjs";

const SAMPLES = 1e6,
	STACKS = 1e5,
	FRAMES = 6000,
	ROUTES = 600,
	DEPTH = 34,
	THREADS = 8,
	HZ = 99,
	SECOND = 1e6,
	ZOOMS = 4,
	ZOOM_MS = 500;
const [unspool] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "unspool-bench-"));
const file = (suffix) => path.join(folder, `record.${suffix}`);

function frameLine(id) {
	return id % 2
		? {
				type: "frame",
				id,
				kind: "js",
				name: `function${id}`,
				file: `/srv/app/module${id % 97}.js`,
				line: (id % 500) + 3,
				column: 7,
				start_line: (id % 500) + 1,
				start_column: 10,
				tier: ["interpreted", "maglev", "turbofan"][id % 3],
			}
		: {
				type: "frame",
				id,
				kind: "native",
				name: `v8::internal::Function${id}(v8::internal::Isolate*, int)`,
				module: "/usr/bin/node",
			};
}

/** Yields stacks, root first: a long path of its route, then a walk through a graph of callees. */
function* walks(random) {
	const callees = Array.from({ length: FRAMES }, () =>
		Array.from({ length: 3 }, () => random(FRAMES)),
	);

	for (;;) {
		const route = random(ROUTES),
			stack = Array.from(
				{ length: DEPTH },
				(_, k) => (route * 7 + k * 131) % FRAMES,
			);

		for (let at = stack[DEPTH - 1], n = 4 + random(9); n > 0; n--) {
			at = callees[at][random(3)];
			stack.push(at);
		}
		yield stack;
	}
}

function* lines() {
	const random = makeRandom(5),
		seen = new Set();

	yield HEADER;
	yield {
		type: "process",
		pid: 7,
		name: "server.js",
		exe: "/usr/bin/node",
		runtime: "Node.js 24.21.0",
	};
	for (let id = 1; id <= FRAMES; id++) yield frameLine(id);
	for (const stack of walks(random)) {
		const key = stack.join();

		if (seen.has(key)) continue;
		seen.add(key);
		yield {
			type: "stack",
			id: seen.size,
			frames: stack.reverse().map((i) => i + 1),
			status: "complete",
		};
		if (seen.size === STACKS) break;
	}

	const stepUs = SECOND / HZ / THREADS;

	for (let i = 0, n; i < SAMPLES; i += n) {
		n = Math.min(SAMPLES - i, random(3) + 1);
		yield {
			type: "samples",
			pid: 7,
			tid: 7 + random(THREADS),
			stack: random(STACKS) + 1,
			count: n,
			t: Array.from({ length: n }, (_, k) => Math.floor(k ? stepUs : i * stepUs)),
		};
	}
}

function writeRecord() {
	const out = fs.openSync(file("ndjson"), "w");
	let part = [];

	for (const line of lines()) {
		part.push(`${JSON.stringify(line)}\n`);
		if (part.length === 10000) {
			fs.writeSync(out, part.join(""));
			part = [];
		}
	}
	fs.writeSync(out, part.join(""));
	fs.closeSync(out);
}

function seconds(run) {
	const from = performance.now();

	run();
	return (performance.now() - from) / 1000;
}

/** Zooms into boxes one after the other. Returns frames per second while the zooms are drawn. */
function measureZoom(tab) {
	return tab.evaluate(
		async (zooms, ms) => {
			const canvas = document.querySelector(".views canvas"),
				box = canvas.getBoundingClientRect(),
				gaps = [];
			let last = 0;

			for (let k = 1; k <= zooms; k++) {
				const end = performance.now() + ms;

				last = performance.now();
				canvas.dispatchEvent(
					new MouseEvent("click", {
						clientX: box.left + 60,
						clientY: box.bottom - 16 * k - 8,
						bubbles: true,
					}),
				);
				while (performance.now() < end)
					gaps.push(
						await new Promise((resolve) =>
							requestAnimationFrame((now) => {
								const gap = now - last;

								last = now;
								resolve(gap);
							}),
						),
					);
			}
			return 1000 / (gaps.reduce((a, b) => a + b) / gaps.length);
		},
		ZOOMS,
		ZOOM_MS,
	);
}

writeRecord();
execFileSync(unspool, ["convert", file("ndjson"), file("html")]);
execFileSync(unspool, ["convert", file("ndjson"), file("ndjson.zst")]);

const [page, packed] = ["html", "ndjson.zst"].map((suffix) => fs.statSync(file(suffix)).size);
const report = seconds(() =>
	execFileSync(unspool, ["report", "--top", "1", file("html")], { stdio: "ignore" }),
);
const browser = await start("chrome"),
	tab = await newTab(browser);

await tab.goto(`file://${file("html")}`);
await tab.waitForSelector("html[data-opened]", { timeout: 120000 });

const opened = await tab.evaluate(
	() => performance.getEntriesByName("unspool-open")[0].startTime / 1000,
);
const boxes = await tab.$eval(".views canvas", (canvas) => Number(canvas.dataset.boxes));
const rate = await measureZoom(tab);

console.log(`  ${SAMPLES} samples, ${STACKS} stacks, ${boxes} visible boxes`);
console.log(
	`  file    ${(page / 1e6).toFixed(1)} MB, of .ndjson.zst (aim: 1.6, and 0.2 MB): ${(page / packed).toFixed(2)}`,
);
console.log(
	`  opens   in ${opened.toFixed(1)} s (aim: 2), of the time of unspool report: ${(opened / report).toFixed(2)}`,
);
console.log(
	`  zooms   at ${rate.toFixed(0)} frames a second, of 30 that are the aim: ${(rate / 30).toFixed(2)}`,
);
await browser.close();
fs.rmSync(folder, { recursive: true });
