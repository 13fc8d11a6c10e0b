// SPDX-License-Identifier: BSD-2-Clause

// Texts of the page. Names come from recorded processes and are hostile: they can contain any
// character and be 16 KiB long.

/** A sentence for the reader of the page. Every other exception is a fault of the page itself. */
export class PageError extends Error {}

// As utf8_is_control() in inspect/util/utf8.c: C0, C1, DEL, separators and Bidi_Control. Surrogates
// that have no partner are matched too, because the flag `u` makes pairs one character.
const CONTROL = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;

function escapeControl(c) {
	const code = c.codePointAt(0);

	return code >= 0xd800 && code <= 0xdfff
		? "\ufffd"
		: `\\u${code.toString(16).padStart(4, "0")}`;
}

const MIN_MIDDLE = 20; // a shorter text has its ellipsis at the end

/** Replaces characters that change the direction or the layout of text by a visible escape. */
export function visible(text) {
	return String(text ?? "").replace(CONTROL, escapeControl);
}

/** Shortens @text to @most characters: the start, an ellipsis, and the end if there is room. */
export function shorten(text, most) {
	const characters = text.length > most ? Array.from(text) : [];

	if (characters.length <= most) return text;

	const end = most < MIN_MIDDLE ? 0 : Math.floor(most / 3);

	return `${characters.slice(0, Math.max(1, most - end - 1)).join("")}…${characters.slice(characters.length - end).join("")}`;
}

/** Returns 1234567 as "1,234,567". */
export function grouped(n) {
	return Math.round(n)
		.toString()
		.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Returns @part of @all as "12.3 %". */
export function percent(part, all) {
	return `${(all ? (part / all) * 100 : 0).toFixed(1)} %`;
}

export function samples(n) {
	return `${grouped(n)} ${n === 1 ? "sample" : "samples"}`;
}

/** Returns microseconds as "1.234 s", with as many digits as @step needs. */
export function seconds(us, stepUs = 1e5) {
	const digits = Math.max(0, Math.min(6, 6 - Math.floor(Math.log10(stepUs))));

	return `${(us / 1e6).toFixed(digits)} s`;
}
