// SPDX-License-Identifier: BSD-2-Clause

// Makes elements. Text is always set as text, never parsed as HTML.

import { visible } from "./text.mjs";

/**
 * Makes an element.
 *
 * @properties: `class`, `on: { click: f }`, `style: { name: value }`, other attributes by their
 * names; an attribute whose value is false, null or undefined is left out.
 * @children: elements, or texts, which may be hostile.
 */
export function el(tag, properties = {}, ...children) {
	const element = document.createElement(tag);

	for (const [key, value] of Object.entries(properties)) {
		if (key === "on")
			for (const [event, listener] of Object.entries(value))
				element.addEventListener(event, listener);
		else if (key === "style")
			for (const [name, text] of Object.entries(value))
				element.style.setProperty(name, text);
		else if (value !== false && value !== null && value !== undefined)
			element.setAttribute(key, value === true ? "" : visible(value));
	}
	fill(element, ...children);
	return element;
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
	element.replaceChildren(
		...children
			.flat(Infinity)
			.filter((child) => child !== null && child !== undefined)
			.map((child) =>
				child instanceof Node
					? child
					: document.createTextNode(visible(child)),
			),
	);
	return element;
}

/** Makes a check box with its label. Returns { element, input }. */
export function checkbox(text, title, onChange) {
	const input = el("input", {
		type: "checkbox",
		on: { change: () => onChange(input.checked) },
	});

	return { element: el("label", { class: "check", title }, input, text), input };
}

/** Makes a list to choose from. @options: [[value, text]]. */
export function choice(label, options, onChange) {
	const select = el(
		"select",
		{ "aria-label": label, on: { change: () => onChange(select.value) } },
		options.map(([value, text]) => el("option", { value }, text)),
	);

	return select;
}

/** Puts a text on the clipboard. Returns whether the browser did so. */
export async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const area = el("textarea", { class: "sr", "aria-hidden": "true" });

		area.value = text;
		document.body.append(area);
		area.select();

		const done = document.execCommand("copy");

		area.remove();
		return done;
	}
}
