// SPDX-License-Identifier: BSD-2-Clause

// Tests the parts of the page that need no browser.

import zlib from "node:zlib";
import { assert, run } from "./check.mjs";
import { HEADER, HOSTILE, makeRecord, read, recordJson, recordOf, textOf } from "./made.mjs";
import { decodeRecord } from "../../loader/html/decode.mjs";
import { titleOf, trustOf, warningsOf } from "../../loader/html/facts.mjs";
import { countSlices, makeGrid } from "../../loader/html/heat.mjs";
import { boxAt, extent, layout } from "../../loader/html/layout.mjs";
import { Model } from "../../loader/html/model.mjs";
import { packageOfFile } from "../../loader/html/origin.mjs";
import { Scan } from "../../loader/html/scan.mjs";
import { matcher, select } from "../../loader/html/select.mjs";
import { DEFAULTS, fitState, readFragment, writeFragment } from "../../loader/html/state.mjs";
import { PageError, shorten, visible } from "../../loader/html/text.mjs";
import { Tree } from "../../loader/html/tree.mjs";

async function decoded(json) {
	const chunks = [];

	await decodeRecord(json, (chunk) => chunks.push(chunk));
	return Buffer.concat(chunks).toString();
}

/** Asserts that the page has a sentence for this text of the script element. */
async function refuses(json, words) {
	await assert.rejects(
		decoded(json),
		(error) => error instanceof PageError && words.test(error.message),
	);
}

function treeOf(model, shape = { kind: "down" }) {
	return new Tree(model, shape).weigh(select(model, DEFAULTS, null).weights);
}

/** The calls of a tree: "a>b": [self, total]. */
function callsOf(tree) {
	const calls = {};

	for (let node = 1; node < tree.n; node++)
		calls[
			tree
				.pathOf(node)
				.map((fn) => tree.model.nameOf(fn))
				.join(">")
		] = [tree.self[node], tree.total[node]];
	return calls;
}

const ABC = [
	[["a", "b", "c"], 3],
	[["a", "b"], 2],
	[["a", "c", "b", "c"], 4],
];

await run({
	async a_record_is_decoded() {
		const text = textOf(makeRecord({ lines: 5000 }));

		assert.equal(await decoded(recordJson(text)), text);
	},

	async each_damaged_record_has_a_sentence() {
		const json = recordJson("abc");

		await refuses(null, /contains no record/);
		await refuses("{}", /contains no record/);
		await refuses("7", /contains no record/);
		for (let cut = 0; cut < json.length; cut++)
			await refuses(json.slice(0, cut), /cut short/);
		await refuses('{"record":"!!!!"}', /not base64/);
		await refuses(
			JSON.stringify({ record: Buffer.from("plain").toString("base64") }),
			/can't be decompressed/,
		);
		await refuses(
			JSON.stringify({
				record: zlib.gzipSync("abc").subarray(0, 12).toString("base64"),
			}),
			/can't be decompressed/,
		);
	},

	lines_are_the_same_however_the_bytes_are_divided() {
		const lines = makeRecord({ lines: 40 }),
			whole = read(lines);

		for (const part of [1, 7, 1000]) assert.deepEqual(read(lines, part), whole);
	},

	the_fast_reader_and_the_parser_of_json_agree() {
		const lines = makeRecord(),
			spaced = lines
				.map((line) => JSON.stringify(line).replace(/:/, ": ") + "\n")
				.join("");

		assert.deepEqual(read(spaced), read(lines));
	},

	the_fast_reader_refuses_each_line_that_is_cut_or_changed() {
		const scan = new Scan(),
			line = Buffer.from(
				'{"type":"samples","pid":7,"tid":8,"stack":3,"count":2,"t":[100,20]}',
			);

		assert.equal(scan.samples(line, 0, line.length), true);
		assert.deepEqual(
			[scan.pid, scan.tid, scan.stackId, scan.count, scan.numbers],
			[7, 8, 3, 2, [100, 20]],
		);
		for (let i = 0; i < line.length; i++) {
			assert.equal(scan.samples(line, 0, i), false);
			assert.equal(
				scan.samples(
					Buffer.concat([
						line.subarray(0, i),
						Buffer.from("x"),
						line.subarray(i + 1),
					]),
					0,
					line.length,
				),
				false,
			);
		}
	},

	a_record_that_contradicts_itself_is_refused() {
		const refused = (lines, words) =>
			assert.throws(
				() => read(lines),
				(error) => error instanceof PageError && words.test(error.message),
			);

		refused([{ type: "frame", id: 1 }], /first line is not a header/);
		refused([{ ...HEADER, schema: 2 }], /schema 2, but this page reads schema 1/);
		refused([HEADER, HEADER], /two headers/);
		refused(
			[HEADER, { type: "stack", id: 1, frames: [5], status: "complete" }],
			/unknown frame/,
		);
		refused(
			[HEADER, { type: "samples", pid: 1, tid: 1, stack: 4, count: 1, t: [1] }],
			/unknown stack/,
		);
		refused("", /empty/);
		refused(`${JSON.stringify(HEADER)}\n{"type"\n`, /Line 2 .* is not JSON/);
	},

	unknown_lines_are_skipped_and_an_incomplete_last_line_is_reported() {
		const record = read(`${textOf([HEADER, { type: "new" }])}{"type":"fr`);

		assert.equal(record.isCut, true);
		assert.match(warningsOf(record).join(), /interrupted.*incomplete/);
	},

	a_record_without_samples_has_a_model() {
		const model = new Model(read([HEADER]));

		assert.equal(treeOf(model).total[0], 0);
		assert.equal(titleOf(model.record).name, "no process");
	},

	a_tree_counts_self_and_total_of_each_call() {
		assert.deepEqual(callsOf(treeOf(new Model(read(recordOf(ABC))))), {
			a: [0, 9],
			"a>b": [2, 5],
			"a>b>c": [3, 3],
			"a>c": [0, 4],
			"a>c>b": [0, 4],
			"a>c>b>c": [4, 4],
		});
	},

	an_inverted_tree_begins_with_the_leaves() {
		assert.deepEqual(callsOf(treeOf(new Model(read(recordOf(ABC))), { kind: "up" })), {
			c: [7, 7],
			"c>b": [0, 7],
			"c>b>a": [0, 3],
			"c>b>c": [0, 4],
			"c>b>c>a": [0, 4],
			b: [2, 2],
			"b>a": [0, 2],
		});
	},

	callers_and_callees_begin_with_their_function() {
		const model = new Model(read(recordOf(ABC))),
			fn = model.functions.findIndex((f) => f.name === "c");

		assert.deepEqual(callsOf(treeOf(model, { kind: "callers", fn })), {
			c: [7, 7],
			"c>b": [0, 7],
			"c>b>a": [0, 3],
			"c>b>c": [0, 4],
			"c>b>c>a": [0, 4],
		});
		assert.deepEqual(callsOf(treeOf(model, { kind: "callees", fn })), {
			c: [3, 7],
			"c>b": [0, 4],
			"c>b>c": [4, 4],
		});
	},

	an_incomplete_stack_begins_with_its_reason() {
		const model = new Model(
			read(
				recordOf([
					[["a"], 1, { status: "truncated", reason: "depth limit" }],
					[["a"], 2],
				]),
			),
		);

		assert.deepEqual(callsOf(treeOf(model)), {
			"truncated: depth limit": [0, 1],
			"truncated: depth limit>a": [1, 1],
			a: [2, 2],
		});
		assert.deepEqual(
			trustOf(model).map(({ id, count, reasons }) => [id, count, reasons.length]),
			[
				["complete", 2, 0],
				["truncated", 1, 1],
				["failed", 0, 0],
				["guessed", 0, 0],
				["unresolved", 0, 0],
			],
		);
	},

	the_same_function_twice_in_a_row_is_one_call() {
		assert.deepEqual(
			callsOf(treeOf(new Model(read(recordOf([[["a", "a", "a"], 2]]))))),
			{ a: [2, 2] },
		);
	},

	a_stack_of_10000_frames_is_a_tree_of_10000_calls() {
		const names = Array.from({ length: 10000 }, (_, i) => `f${i % 5000}`),
			model = new Model(read(recordOf([[names, 1]])));
		const boxes = layout(treeOf(model), [0, 1], 1000);

		assert.equal(boxes.maxDepth, 10000);
	},

	boxes_fill_the_width_of_their_parent() {
		const tree = treeOf(new Model(read(makeRecord()))),
			boxes = layout(tree, [0, 1], 1e6);

		for (let i = 1; i < boxes.n; i++) {
			const [from, to] = extent(tree, boxes.node[i]);

			assert.ok(
				Math.abs(from - boxes.from[i]) < 1e-9 &&
					Math.abs(to - boxes.to[i]) < 1e-9,
			);
			assert.equal(
				boxes.node[boxAt(boxes, (from + to) / 2, boxes.depth[i])],
				boxes.node[i],
			);
		}
	},

	narrow_boxes_are_left_out() {
		const model = new Model(
			read(
				recordOf([
					[["a"], 9999],
					[["b"], 1],
				]),
			),
		);

		assert.equal(layout(treeOf(model), [0, 1], 1000).n, 2);
		assert.equal(layout(treeOf(model), [0.99, 1], 1000).n, 3);
	},

	the_heat_map_counts_every_sample() {
		const record = read(makeRecord()),
			all = new Uint8Array(record.cells.n).fill(1);

		for (const duration of [record.lastT + 1, 6e7]) {
			const grid = makeGrid(duration, 200, 14),
				{ counts } = countSlices(record, all, grid, 7);

			assert.ok(
				grid.columns <= 200 &&
					grid.rows <= 14 &&
					grid.columns * grid.columnUs >= duration,
			);
			assert.equal(
				counts.reduce((a, b) => a + b),
				record.samples,
			);
		}
	},

	a_link_keeps_the_state_of_the_page() {
		const state = {
			...DEFAULTS,
			view: "icicle",
			up: true,
			zoom: [3, 17],
			fn: 2,
			q: "a&b=c#%",
			re: true,
			range: [10, 20],
			kinds: ["gc", "js"],
			status: "truncated:depth limit",
			package: "@a/b",
			thread: 0,
			sort: "total",
		};

		assert.deepEqual(readFragment(`#${writeFragment(state)}`), state);
		assert.equal(writeFragment(DEFAULTS), "");
		assert.deepEqual(readFragment(""), { ...DEFAULTS });
	},

	a_link_with_wrong_values_shows_the_default_view() {
		const model = new Model(read(recordOf(ABC)));

		for (const text of [
			"#zoom=x",
			"#range=9-3",
			"#fn=99999",
			"#thread=7",
			"#process=-1",
			"#zoom=1.999999",
			"#%%%",
			"#view=<b>",
		])
			assert.deepEqual(
				fitState(readFragment(text), model),
				{ ...DEFAULTS },
				text,
			);
	},

	hostile_names_become_visible_text() {
		for (const name of HOSTILE) {
			const text = visible(name);

			assert.doesNotMatch(text, /[\0-\x1f\u2028-\u202e\u2066-\u2069]/);
			assert.ok(text.isWellFormed());
			assert.ok(
				Array.from(shorten(text, 50)).length <= 50 &&
					shorten(text, 50).isWellFormed(),
			);
		}
		assert.equal(visible("\u202e\0"), "\\u202e\\u0000");
		assert.equal(
			new Model(read(recordOf([[HOSTILE, 1]]))).functions.length,
			HOSTILE.length,
		);
	},

	a_text_matches_in_any_case_and_an_expression_as_written() {
		assert.ok(matcher("A.B", false).test("xa.bx"));
		assert.ok(!matcher("A.B", false).test("aXb"));
		assert.ok(matcher("^a.b$", true).test("aXb"));
		assert.ok(!matcher("A", true).test("a"));
		assert.match(matcher("(", true).error, /not a regular expression/);
	},

	packages_are_found_in_paths() {
		assert.equal(packageOfFile("/a/node_modules/b/node_modules/@c/d/e.js"), "@c/d");
		assert.equal(
			packageOfFile("/a/node_modules/.pnpm/x@1.2.3_y/node_modules/x/i.js"),
			"x@1.2.3",
		);
		assert.equal(
			packageOfFile("/go/pkg/mod/github.com/a/b@v1.0.0/c.go"),
			"github.com/a/b@v1.0.0",
		);
		assert.equal(
			packageOfFile("/h/.cargo/registry/src/index-1/serde-1.0.2/src/lib.rs"),
			"serde@1.0.2",
		);
		assert.equal(packageOfFile("/srv/app.js"), null);
	},
});
