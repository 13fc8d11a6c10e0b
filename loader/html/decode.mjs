// SPDX-License-Identifier: BSD-2-Clause

// The record in the page: JSON {"record": BASE64}, where BASE64 is the profile's lines, compressed
// with gzip. Each way in which a page can be damaged has a sentence.

import { PageError } from "./text.mjs";

const CUT = "This page is cut short: the record has no end. Copy or download the file again.";
const CHUNK = 1 << 20; // characters of base64 per step; a multiple of 4

function fromBase64(text) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);

	const binary = atob(text),
		bytes = new Uint8Array(binary.length);

	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

function base64Stream(text) {
	let at = 0;

	return new ReadableStream({
		pull(controller) {
			if (at >= text.length) {
				controller.close();
				return;
			}
			try {
				controller.enqueue(fromBase64(text.slice(at, at + CHUNK)));
			} catch {
				controller.error(
					new PageError(
						"The record in this page is corrupt: it is not base64.",
					),
				);
			}
			at += CHUNK;
		},
	});
}

/** Returns the base64 text of the record. @text: content of the script element; null: none. */
export function recordText(text) {
	let json;

	if (text === null) throw new PageError("This page contains no record of Unspool.");
	try {
		json = JSON.parse(text);
	} catch {
		throw new PageError(CUT);
	}
	if (typeof json?.record !== "string")
		throw new PageError("This page contains no record of Unspool.");
	return json.record;
}

/**
 * Passes the bytes of the record's lines to @take, chunk by chunk.
 *
 * Throws a PageError if the record is damaged or the browser is too old.
 */
export async function decodeRecord(text, take) {
	const record = recordText(text);

	if (typeof DecompressionStream === "undefined")
		throw new PageError(
			"This browser is too old to open the page: it has no DecompressionStream. " +
				"Use Chromium 80, Firefox 113 or Safari 16.4, or newer, or run `unspool report` on this file.",
		);

	const reader = base64Stream(record)
		.pipeThrough(new DecompressionStream("gzip"))
		.getReader();

	for (;;) {
		const { done, value } = await reader.read().catch((error) => {
			throw error instanceof PageError
				? error
				: new PageError(
						"The record in this page is corrupt or cut short: it can't be decompressed.",
					);
		});

		if (done) return;
		take(value);
	}
}
