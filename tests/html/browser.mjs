// SPDX-License-Identifier: BSD-2-Clause

// Drives Debian's Chromium or Firefox through WebDriver BiDi, with puppeteer-core and axe-core of
// ci/browsers. Exit status 77: a part is missing.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const PROGRAMS = { chrome: "/usr/bin/chromium", firefox: "/usr/bin/firefox-esr" };
const WAIT_MS = 30000;

function cannotRun(why) {
	console.log(`cannot run here: ${why}`);
	process.exit(77);
}

function load(name) {
	const folder = process.env.UNSPOOL_BROWSERS_DIR ?? "";

	if (!fs.existsSync(path.join(folder, "node_modules", name)))
		cannotRun(`no ${name} in UNSPOOL_BROWSERS_DIR: run ci/browsers`);
	return createRequire(path.join(folder, "package.json"));
}

/** Starts "chrome" or "firefox". @isDark: as if the system had a dark theme */
export async function start(name, isDark = false) {
	const executablePath = PROGRAMS[name],
		puppeteer = load("puppeteer-core")("puppeteer-core");
	const scheme = isDark ? 0 : 1; // blink::mojom::PreferredColorScheme: kDark, kLight

	if (!fs.existsSync(executablePath)) cannotRun(`no ${executablePath}: run ci/deps`);
	return puppeteer.launch({
		browser: name,
		executablePath,
		protocol: "webDriverBiDi",
		headless: true,
		args:
			name === "chrome"
				? [
						"--no-sandbox",
						"--disable-gpu",
						`--blink-settings=preferredColorScheme=${scheme}`,
					]
				: [],
		extraPrefsFirefox: { "ui.systemUsesDarkTheme": Number(isDark) },
	});
}

/** Opens a page. Errors and messages of the console are appended to `tab.problems`. */
export async function newTab(browser, { width = 1440, height = 900 } = {}) {
	const tab = await browser.newPage();

	tab.problems = [];
	tab.on("pageerror", (error) => tab.problems.push(`error: ${error.message}`));
	tab.on("console", (message) => tab.problems.push(`console: ${message.text()}`));
	await tab.setViewport({ width, height });
	return tab;
}

/** Opens a file and waits until the page has drawn. */
export async function open(tab, file, fragment = "") {
	await tab.goto("about:blank");
	await tab.goto(`file://${file}${fragment}`);
	await tab.waitForSelector("html[data-opened]", { timeout: WAIT_MS });
	await settle(tab);
}

/** Waits for the frame after the next, and for an animation. */
export function settle(tab) {
	return tab.evaluate(
		() =>
			new Promise((resolve) =>
				setTimeout(
					() =>
						requestAnimationFrame(() =>
							requestAnimationFrame(resolve),
						),
					190,
				),
			),
	);
}

export function textOf(tab, selector) {
	return tab.$eval(selector, (element) => element.textContent);
}

export function fragmentOf(tab) {
	return tab.evaluate(() => decodeURIComponent(location.hash.replaceAll("+", " ")));
}

/** Returns the violations that axe-core finds: "rule: element". */
export async function violations(tab) {
	const source = fs.readFileSync(load("axe-core").resolve("axe-core/axe.min.js"), "utf8");

	await tab.evaluate(`${source}; 0`);
	return tab.evaluate(async () =>
		(await globalThis.axe.run(document)).violations.flatMap(({ id, nodes }) =>
			nodes.map((node) => `${id}: ${node.html.slice(0, 120)}`),
		),
	);
}
