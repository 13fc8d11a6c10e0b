// SPDX-License-Identifier: BSD-2-Clause

// test_queries.mjs UNSPOOL [PROFILE...]: the page counts as `unspool report -f json` does, for
// random records and for the given profiles.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { assert, run } from "./check.mjs";
import { makeRecord, read, textOf } from "./made.mjs";
import { Model } from "../../loader/html/model.mjs";
import { countFunctions, functionRows } from "../../loader/html/rows.mjs";
import { matcher, matchFunctions, select } from "../../loader/html/select.mjs";
import { DEFAULTS } from "../../loader/html/state.mjs";
import { Tree } from "../../loader/html/tree.mjs";

const MOST_FUNCTIONS = 25; // functions of a profile whose callers and callees are compared
const [unspool, ...profiles] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "unspool-html-"));

/** The rows of `unspool report` as [depth, name, where, self, total]; null: it found no samples. */
function report(file, ...options) {
	try {
		const json = execFileSync(unspool, ["report", "-f", "json", ...options, file], {
			maxBuffer: 1 << 28,
			stdio: "pipe",
		});
		const [section] = JSON.parse(json).sections;

		return {
			samples: section.samples,
			rows: section.rows.map((r) => [r.depth, r.name, r.where, r.self, r.total]),
		};
	} catch (error) {
		if (/has no sample|no function has the name/.test(error.stderr?.toString()))
			return null;
		throw error;
	}
}

function row(model, depth, fn, self, total) {
	return [depth, model.functions[fn].name, model.functions[fn].place, self, total];
}

/** Texts as the profile's reader has them: it replaces invalid UTF-8 and ends a string at a NUL. */
function sorted(rows) {
	return rows.map((r) => JSON.stringify(r)).sort();
}

function flat(model, weights, appOnly) {
	const counts = countFunctions(model, weights, appOnly);

	return functionRows(model, counts, "self").map((fn) =>
		row(model, 0, fn, counts.self[fn], counts.total[fn]),
	);
}

/** The calls of a tree without the ends of incomplete stacks, whose samples keep their callees. */
function calls(tree) {
	const found = new Map(),
		{ model } = tree,
		isUp = ["up", "callers"].includes(tree.shape.kind);

	for (let node = 1; node < tree.n; node++) {
		const all = tree.pathOf(node);

		if (!tree.total[node] || model.isEnd(tree.fn[node])) continue;

		const key = (isUp ? all : all.filter((fn) => !model.isEnd(fn))).join(">"),
			depth = key.split(">").length - 1;
		const call = found.get(key) ?? { depth, fn: tree.fn[node], self: 0, total: 0 };

		call.self += tree.self[node];
		call.total += tree.total[node];
		found.set(key, call);
	}
	return [...found.values()].map(({ depth, fn, self, total }) =>
		row(model, depth, fn, self, total),
	);
}

function compareAll(file) {
	const model = new Model(read(fs.readFileSync(file, "utf8"))),
		last = model.record.lastT;
	const weighed = (state) =>
		select(
			model,
			{ ...DEFAULTS, ...state },
			state.match ? matchFunctions(model, state.match) : null,
		);
	const compare = (theirs, ours) =>
		assert.deepEqual(sorted(ours), sorted(theirs?.rows ?? []));

	const { weights, total } = weighed({});

	compare(report(file, "--by", "function"), flat(model, weights, false));
	compare(report(file, "--only", "app"), flat(model, weights, true));
	assert.equal(report(file, "--by", "function")?.samples ?? 0, total);
	for (const appOnly of [false, true])
		compare(
			report(file, "--tree", ...(appOnly ? ["--only", "app"] : [])),
			calls(new Tree(model, { kind: "down", appOnly }).weigh(weights)),
		);

	compareRanges(file, model, last, weighed, compare);
	compareSearches(file, model, weighed);
	compareFunctions(file, model, weights, compare);
	compareThreads(file, model, weighed);
}

function compareRanges(file, model, last, weighed, compare) {
	for (const [since, until] of [
		[0.2, 0.5],
		[0.4, 0.41],
		[0, 0.1],
	]) {
		const [from, to] = [
			Math.floor((since * last) / 1000),
			Math.ceil((until * last) / 1000) + 1,
		];
		const options = from ? ["--since", `${from}ms`] : [];

		compare(
			report(file, "--by", "function", ...options, "--until", `${to}ms`),
			flat(model, weighed({ range: [from * 1000, to * 1000] }).weights, false),
		);
	}
}

function compareSearches(file, model, weighed) {
	for (const text of [
		"f1",
		"server\\.js",
		"^f[0-4] ",
		"\\(/srv",
		"read|work",
		"no such function",
	]) {
		const ours = weighed({ match: matcher(text, true) });

		assert.equal(
			ours.matched,
			report(file, "--by", "function", "--grep", text)?.samples ?? 0,
			text,
		);
	}
}

function compareFunctions(file, model, weights, compare) {
	const names = new Map();

	for (const f of model.functions) names.set(f.name, (names.get(f.name) ?? 0) + 1);
	model.functions
		.map((f, fn) => [f, fn])
		.filter(
			([f]) =>
				names.get(f.name) === 1 &&
				!/[\0\ufffd]/.test(f.name) &&
				f.name.length < 1000,
		)
		.slice(0, MOST_FUNCTIONS)
		.forEach(([f, fn]) => {
			for (const kind of ["callers", "callees"])
				compare(
					report(file, `--${kind}=${f.name}`),
					calls(new Tree(model, { kind, fn }).weigh(weights)),
				);
		});
}

function compareThreads(file, model, weighed) {
	const theirs = (report(file, "--by", "thread")?.rows ?? []).map(
		([, name, where, , total]) => [name, where.match(/tid (\d+)$/)[1], total],
	);
	const ours = model.threads.map(({ label, tid }, thread) => [
		label,
		String(tid),
		weighed({ thread }).total,
	]);

	assert.deepEqual(sorted(ours), sorted(theirs));
	for (const [, name, where, , total] of report(file, "--by", "process")?.rows ?? []) {
		const process = model.record.processes.findIndex(
			(p) =>
				p.samples &&
				(p.name || "unnamed") === name &&
				where.includes(`pid ${p.pid}`),
		);

		assert.equal(weighed({ process }).total, total, name);
	}
}

const tests = {};

for (let seed = 1; seed <= 6; seed++)
	tests[`random record ${seed} counts as in the report`] = () => {
		const file = path.join(folder, `${seed}.ndjson`);

		fs.writeFileSync(
			file,
			textOf(makeRecord({ seed, frames: seed * 40, stacks: seed * 60 })),
		);
		compareAll(file);
	};
for (const file of profiles)
	tests[`${path.basename(file)} counts as in the report`] = () => compareAll(file);
await run(tests);
fs.rmSync(folder, { recursive: true });
