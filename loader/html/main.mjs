// SPDX-License-Identifier: BSD-2-Clause

// Opens the record in this page. This script precedes the record in the file, so that it can report
// a page that was cut short; without it the browser shows the sentence that the file begins with.

import { decodeRecord } from "./decode.mjs";
import { el, fill } from "./dom.mjs";
import { Lines } from "./lines.mjs";
import { Model } from "./model.mjs";
import { Page } from "./page.mjs";
import css from "./page.css";
import { Builder } from "./record.mjs";
import { PageError } from "./text.mjs";

async function readRecord() {
	const builder = new Builder(),
		lines = new Lines(builder),
		element = document.getElementById("unspool-record");

	await decodeRecord(element && element.textContent, (chunk) => lines.take(chunk));
	return builder.done(lines.end());
}

function show(root, title, text) {
	fill(
		root,
		el(
			"div",
			{ class: "problem", role: "alert" },
			el("h1", {}, title),
			el("p", {}, text),
		),
	);
}

async function open() {
	const root = document.getElementById("unspool");

	try {
		const record = await readRecord();

		if (!record.samples)
			show(
				root,
				"No samples",
				"This recording has no samples: the recorded processes used no CPU time.",
			);
		else new Page(new Model(record), root);
	} catch (error) {
		if (error instanceof PageError)
			show(root, "This page can't be opened", error.message);
		else
			show(
				root,
				"This page can't be opened",
				`The page failed: ${error}. \`unspool report\` may read this file.`,
			);
	}
	performance.mark("unspool-open");
	document.documentElement.dataset.opened = "1";
}

function start() {
	const sheet = new CSSStyleSheet();

	sheet.replaceSync(css);
	document.adoptedStyleSheets = [sheet];
	open();
}

if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();
