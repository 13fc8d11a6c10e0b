// SPDX-License-Identifier: BSD-2-Clause

// The head of the page: what was recorded, which activities used the time, and how many stacks are
// complete. Each number is a button that shows the samples behind it.

import { el, fill } from "./dom.mjs";
import { activitiesOf, titleOf, trustOf, warningsOf } from "./facts.mjs";
import { ACTIVITY_STYLES } from "./paint.mjs";
import { grouped, percent } from "./text.mjs";

const LOST =
	"Lost samples have no stack, so nothing can be shown for them. A sample is lost if the kernel did " +
	"not run the BPF program for it, or if the buffer to the recorder was full.";

export class Head {
	/** @on: { kind(activity), status(id), note(text) } */
	constructor(model, on) {
		const { record } = model,
			title = titleOf(record);

		Object.assign(this, { model, on, buttons: [] });
		document.title = `${title.name} - Unspool`;
		this.element = el(
			"header",
			{},
			el("h1", {}, title.name),
			el("p", { class: "rest" }, title.rest),
			warningsOf(record).map((text) =>
				el("p", { class: "warning", role: "alert" }, text),
			),
			this.kinds(activitiesOf(record)),
			this.trust(trustOf(model)),
		);
	}

	button(text, title, isPressed, onClick) {
		const button = el(
			"button",
			{ type: "button", title, "aria-pressed": "false", on: { click: onClick } },
			text,
		);

		this.buttons.push({ button, isPressed });
		return button;
	}

	kinds(activities) {
		const all = this.model.record.samples;
		const bar = el(
			"div",
			{ class: "bar", "aria-hidden": "true" },
			activities.map(({ activity, count }) =>
				el("i", {
					style: {
						flex: `${count} 0 0`,
						background: ACTIVITY_STYLES[activity].color,
					},
				}),
			),
		);
		const buttons = activities.map(({ activity, count }) => {
			const { name, color } = ACTIVITY_STYLES[activity];
			const button = this.button(
				[
					el("i", { class: "dot", style: { background: color } }),
					name,
					" ",
					el("b", {}, percent(count, all)),
				],
				`Show only samples of this kind: ${grouped(count)}`,
				(state) => state.kinds.includes(activity),
				() => this.on.kind(activity),
			);

			return button;
		});

		return el(
			"div",
			{ class: "facts", role: "group", "aria-label": "Time by kind" },
			el("span", { class: "label" }, "time"),
			bar,
			buttons,
		);
	}

	trust(groups) {
		const all = this.model.record.samples,
			{ summary } = this.model.record;
		const shown = groups.filter(
			({ id, count }) =>
				count || ["complete", "truncated", "failed"].includes(id),
		);
		const buttons = shown.map((group) => [
			this.button(
				[
					el("i", { class: `sign ${group.id}` }),
					`${group.name} `,
					el("b", {}, percent(group.count, all)),
				],
				group.meaning,
				(state) => state.status === group.id,
				() => this.on.status(group.id),
			),
			group.reasons.map(({ id, name, count }) =>
				this.button(
					`${grouped(count)} ${name}`,
					`Show only these stacks: ${group.name}, ${name}`,
					(state) => state.status === id,
					() => this.on.status(id),
				),
			),
		]);
		const lost = el(
			"button",
			{ type: "button", title: LOST, on: { click: () => this.on.note(LOST) } },
			el("i", { class: "sign lost" }),
			"lost ",
			el("b", {}, summary ? grouped(summary.lost ?? 0) : "unknown"),
		);

		return el(
			"div",
			{ class: "facts", role: "group", "aria-label": "Stacks by completeness" },
			el("span", { class: "label" }, "stacks"),
			buttons,
			lost,
		);
	}

	show(state) {
		for (const { button, isPressed } of this.buttons)
			button.setAttribute("aria-pressed", String(isPressed(state)));
	}
}

/** The line with the application's function that used the most time. */
export function headline(model, hot, onOpen) {
	const line = el("p", { class: "headline" });

	if (!hot) return fill(line, "your code: used no CPU time");

	const f = model.functions[hot.fn];

	return fill(
		line,
		"your code: ",
		el("b", {}, hot.share),
		" in ",
		el(
			"button",
			{
				type: "button",
				class: "link",
				title: "Show its callers and callees",
				on: { click: () => onOpen(hot.fn) },
			},
			f.name,
		),
		" ",
		el("span", { class: "place" }, f.place),
	);
}
