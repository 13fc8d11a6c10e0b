// SPDX-License-Identifier: BSD-2-Clause

// test_browser.mjs UNSPOOL chrome|firefox: the page in a real browser, opened from a file in a
// network namespace that has nothing but a loopback device.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fragmentOf, newTab, open, settle, start, textOf, violations } from "./browser.mjs";
import { assert, run } from "./check.mjs";
import {
	HEADER,
	HOSTILE,
	makeRecord,
	recordJson,
	recordOf,
	textOf as linesOf,
	writePage,
} from "./made.mjs";

const [unspool, browserName] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "unspool-page-"));
const profile = path.join(folder, "record.ndjson"),
	page = path.join(folder, "record.html");
const GRAPH = ".views canvas",
	STRIP = ".strip canvas",
	SELECTED = ".selected",
	DETAILS = ".details";

fs.writeFileSync(profile, linesOf(makeRecord({ seed: 3 })));
execFileSync(unspool, ["convert", profile, page]);

/** Number of samples that `unspool report` selects. */
function reported(...options) {
	const json = execFileSync(unspool, [
		"report",
		"-f",
		"json",
		"--by",
		"function",
		...options,
		profile,
	]);

	return JSON.parse(json).sections[0].samples;
}

/** Makes a page whose record is @lines. */
function pageOf(name, lines) {
	return writePage(page, path.join(folder, name), recordJson(linesOf(lines)));
}

function cutPage(name, length) {
	const file = path.join(folder, name);

	fs.writeFileSync(file, fs.readFileSync(page).subarray(0, length));
	return file;
}

/** "12.3 %" of a text, and the numbers before "of" and "samples" in "7 of 1,234 samples selected". */
function percentIn(text) {
	return text.match(/([0-9.]+) %/)[1];
}

function selectedIn(text) {
	return Number(text.match(/^([0-9,]+) samples? of/)[1].replaceAll(",", ""));
}

function percent(part, all) {
	return ((part / all) * 100).toFixed(1);
}

async function type(tab, selector, text) {
	await tab.focus(selector);
	await tab.keyboard.type(text);
	await settle(tab);
}

async function press(tab, ...keys) {
	for (const key of keys) await tab.keyboard.press(key);
	await settle(tab);
}

/** Is something drawn on the first canvas that @selector finds? */
function colours(tab, selector) {
	return tab.$eval(selector, (canvas) => {
		const { data } = canvas
			.getContext("2d")
			.getImageData(0, 0, canvas.width, canvas.height);

		return new Set(new Uint32Array(data.buffer)).size;
	});
}

/** Opens a page that can't show a profile. Returns the sentence. */
async function problem(file, fragment) {
	await open(tab, file, fragment);
	return textOf(tab, "[role=alert]");
}

async function boxOf(selector) {
	return (await tab.$(selector)).boundingBox();
}

const browser = await start(browserName);
const tab = await newTab(browser);
const all = reported();

await run({
	async the_page_opens_without_error_and_without_request() {
		await open(tab, page);
		assert.deepEqual(tab.problems, []);
		assert.match(await textOf(tab, "h1"), /^(server\.js|prog)$/);
		assert.ok((await colours(tab, GRAPH)) > 5 && (await colours(tab, STRIP)) > 3);
		assert.deepEqual(
			await tab.evaluate(() =>
				performance.getEntriesByType("resource").map((r) => r.name),
			),
			[],
		);
	},

	async the_policy_refuses_every_request() {
		const refused = await tab.evaluate(
			() =>
				new Promise((resolve) => {
					const found = [];

					document.addEventListener(
						"securitypolicyviolation",
						(event) => found.push(event.effectiveDirective),
					);
					fetch("http://127.0.0.1:9/").catch(() => 0);
					new Image().src = "http://127.0.0.1:9/x.png";
					document.body.append(
						Object.assign(document.createElement("script"), {
							textContent: "document.title = 'ran'",
						}),
					);
					setTimeout(() => resolve(found.sort()), 300);
				}),
		);

		assert.deepEqual(refused, ["connect-src", "img-src", "script-src-elem"]);
		assert.notEqual(await tab.title(), "ran");
	},

	async a_search_shows_the_share_that_the_report_selects() {
		await open(tab, page);
		await type(tab, "input[type=search]", "^f1");
		await tab.click("label.check input");
		await settle(tab);
		assert.equal(
			percentIn(await textOf(tab, "output")),
			percent(reported("--grep", "^f1"), all),
		);
		await open(tab, page, "#q=^f1&re=1&only=1");
		assert.equal(selectedIn(await textOf(tab, SELECTED)), reported("--grep", "^f1"));
	},

	async an_invalid_expression_is_reported() {
		await open(tab, page, "#q=(&re=1");
		assert.match(await textOf(tab, "output"), /'\(' is not a regular expression/);
	},

	async a_click_zooms_and_back_returns() {
		await open(tab, page);

		const box = await boxOf(GRAPH);

		await tab.mouse.click(box.x + 8, box.y + box.height - 24);
		await settle(tab);
		assert.match(await fragmentOf(tab), /^#zoom=\d+$/);
		assert.doesNotMatch(await textOf(tab, DETAILS), /^all /);
		await tab.evaluate(() => history.back());
		await settle(tab);
		assert.equal(await fragmentOf(tab), "");
		assert.match(await textOf(tab, DETAILS), /^all total 100\.0 %/);
	},

	async a_range_of_time_selects_the_samples_that_the_report_selects() {
		await open(tab, page);

		const box = await boxOf(STRIP);

		await tab.mouse.move(box.x + box.width * 0.3, box.y + 20);
		await tab.mouse.down();
		await tab.mouse.move(box.x + box.width * 0.6, box.y + 20, { steps: 4 });
		await tab.mouse.up();
		await settle(tab);

		const [, since, until] = (await fragmentOf(tab)).match(/range=(\d+)-(\d+)/);

		assert.equal(
			selectedIn(await textOf(tab, SELECTED)),
			reported("--since", `${since / 1000}ms`, "--until", `${until / 1000}ms`),
		);
		await tab.mouse.click(box.x + box.width * 0.5, box.y + 20);
		await settle(tab);
		assert.equal(await textOf(tab, SELECTED), "");
	},

	async the_number_of_truncated_stacks_shows_these_stacks() {
		const summary = execFileSync(unspool, ["report", "--json", profile])
			.toString()
			.trim()
			.split("\n")
			.map(JSON.parse)
			.filter(({ status }) => status === "truncated")
			.reduce((sum, { count }) => sum + count, 0);

		await open(tab, page);
		await tab.click("button:has(.truncated)");
		await settle(tab);
		assert.equal(selectedIn(await textOf(tab, SELECTED)), summary);
		await tab.click("button:has(.truncated)");
		await settle(tab);
		assert.equal(await textOf(tab, SELECTED), "");
	},

	async the_keyboard_reaches_everything() {
		await open(tab, page);
		await press(tab, "/");
		await tab.keyboard.type("f2");
		await settle(tab);
		assert.match(await textOf(tab, "output"), /^matched /);
		await press(tab, "Escape", "m", "i", "r");
		assert.equal(await fragmentOf(tab), "#view=icicle&up=1&app=1");
		await press(tab, "Escape");
		await tab.focus(GRAPH);
		await press(tab, "ArrowDown", "Enter");
		assert.match(await fragmentOf(tab), /zoom=\d+$/);
		await press(tab, "ArrowDown", "s");
		assert.match(await fragmentOf(tab), /fn=\d+/);
		assert.match(await textOf(tab, ".sandwich"), /its callers/);
		await press(tab, "Escape", "Escape", "Escape");
		assert.equal(await fragmentOf(tab), "#view=icicle");
		await tab.focus(STRIP);
		await press(tab, "ArrowRight", "ArrowRight");
		await tab.keyboard.down("Shift");
		await press(tab, "PageDown");
		await tab.keyboard.up("Shift");
		assert.match(await fragmentOf(tab), /range=\d+-\d+/);
		await press(tab, "Escape", "?");
		assert.equal(await tab.$eval("dialog", (dialog) => dialog.open), true);
		await press(tab, "Escape");
		assert.equal(await tab.$eval("dialog", (dialog) => dialog.open), false);
	},

	async a_stack_is_copied() {
		await open(tab, page);
		await tab.focus(GRAPH);
		await press(tab, "ArrowUp", "c");
		assert.match(await textOf(tab, SELECTED), /^copied a stack of \d+ frames/);
	},

	async a_link_shows_the_same_view() {
		await open(tab, page, "#view=icicle&app=1&kind=gc&sort=total");

		const before = await textOf(tab, "body");

		await open(tab, page, await fragmentOf(tab));
		assert.equal(await textOf(tab, "body"), before);
		assert.match(before, /selected/);
	},

	async the_views_have_no_barrier_that_axe_finds() {
		for (const fragment of [
			"",
			"#fn=3&q=f",
			"#status=truncated&view=icicle&up=1",
			"#package=none",
		]) {
			await open(tab, page, fragment);
			assert.deepEqual(await violations(tab), [], fragment);
		}
		await press(tab, "?");
		assert.deepEqual(await violations(tab), []);
	},

	async hostile_names_stay_text() {
		const names = pageOf(
			"hostile.html",
			recordOf([[HOSTILE, 3], ...HOSTILE.map((name) => [[name], 2])]),
		);

		await open(tab, names);
		await settle(tab);
		assert.deepEqual(
			tab.problems.filter((text) => !/Policy|policy/.test(text)),
			[],
		);
		assert.equal(await tab.title(), "a.js - Unspool");
		assert.equal(await tab.$("img"), null);
		assert.equal(await tab.$$eval("script", (scripts) => scripts.length), 2);
		assert.match(await textOf(tab, ".functions"), /<\/script><img src=x/);
		assert.match(
			await textOf(tab, ".functions"),
			/\\u202egnp\.js\\u2066x.*nul\\u0000nul|nul\\u0000nul.*\\u202egnp\.js/s,
		);
		await open(tab, names, "#fn=5");
		assert.deepEqual(await violations(tab), []);
	},

	async a_stack_of_10000_frames_is_shown() {
		const deep = pageOf(
			"deep.html",
			recordOf([[Array.from({ length: 10000 }, (_, i) => `f${i % 7000}`), 2]]),
		);

		await open(tab, deep);
		assert.ok((await colours(tab, GRAPH)) > 3);
		assert.equal(
			await tab.$eval(".flame", (element) => element.scrollHeight),
			10001 * 16,
		);
	},

	async a_profile_with_one_stack_is_shown() {
		await open(tab, pageOf("one.html", recordOf([[["only"], 1]])));
		assert.match(await textOf(tab, ".functions"), /100\.0 %100\.0 %only/);
	},

	async each_page_that_cannot_be_shown_has_a_sentence() {
		const { length } = fs.readFileSync(page);

		assert.match(await problem(cutPage("cut.html", length - 200)), /cut short/);
		assert.match(
			await problem(cutPage("cut2.html", Math.floor(length * 0.9))),
			/cut short/,
		);
		assert.match(
			await problem(
				writePage(page, path.join(folder, "other.html"), '{"other": 1}'),
			),
			/no record of Unspool/,
		);
		assert.match(
			await problem(
				writePage(
					page,
					path.join(folder, "bad.html"),
					'{"record": "AAAA"}',
				),
			),
			/can't be decompressed/,
		);
		assert.match(
			await problem(pageOf("newer.html", [{ ...HEADER, schema: 2 }])),
			/schema 2.*newer Unspool/,
		);
		assert.match(await problem(pageOf("empty.html", [HEADER])), /no samples/);
		assert.match(
			await problem(pageOf("foreign.html", [{ type: "frame" }])),
			/not a header/,
		);
	},

	async a_page_that_is_cut_in_its_program_shows_a_sentence() {
		await tab.goto(`file://${cutPage("cut3.html", 20000)}`);
		assert.match(
			await textOf(tab, "main"),
			/cut short, or the browser runs no scripts/,
		);
	},

	async an_old_browser_is_named() {
		await tab.evaluateOnNewDocument(() => delete globalThis.DecompressionStream);
		assert.match(await problem(page), /too old.*DecompressionStream/);
	},

	async a_dark_system_has_a_dark_page_without_barrier() {
		const dark = await start(browserName, true),
			night = await newTab(dark);

		await open(night, page, "#status=truncated");
		assert.equal(
			await night.evaluate(() => getComputedStyle(document.body).backgroundColor),
			"rgb(23, 24, 26)",
		);
		assert.deepEqual(await violations(night), []);
		await dark.close();
	},
});
await browser.close();
fs.rmSync(folder, { recursive: true });
