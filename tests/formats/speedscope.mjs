// SPDX-License-Identifier: BSD-2-Clause
//
// speedscope.mjs PAGE FOLDER FILE...: opens each FILE with speedscope's own PAGE in Chromium, as
// speedscope's command line does, and prints the profile that the page then exports, one line of
// JSON for each FILE. FOLDER: for temporary files.
import fs from "node:fs";
import path from "node:path";

import { start } from "../html/browser.mjs";

const WAIT_MS = 30000;
const [page, folder, ...files] = process.argv.slice(2);

/** Keeps the text of each blob that the page makes for a download. */
function keepExports() {
	window.exported = [];
	URL.createObjectURL = (blob) => {
		window.exported.push(blob.text());
		return "#";
	};
}

const browser = await start("chrome");
try {
	for (const file of files) {
		const source = path.join(folder, "load.js");
		const bytes = fs.readFileSync(file).toString("base64");
		const tab = await browser.newPage();

		fs.writeFileSync(source, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, "${bytes}")`);
		await tab.evaluateOnNewDocument(keepExports);
		await tab.goto(`file://${page}#localProfilePath=${source}`);
		await tab.waitForFunction(() => document.body.innerText.includes("Sandwich"), { timeout: WAIT_MS });
		await tab.keyboard.down("Control");
		await tab.keyboard.press("s");
		await tab.keyboard.up("Control");
		await tab.waitForFunction(() => window.exported.length, { timeout: WAIT_MS });
		console.log(await tab.evaluate(() => window.exported[0]));
		await tab.close();
	}
} finally {
	await browser.close();
}
