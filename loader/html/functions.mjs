// SPDX-License-Identifier: BSD-2-Clause

// The functions of a record, by the rules of loader/query/functions.h, so that the page and
// `unspool report` count the same functions: a function is identified by its name, its start, and
// its file (without a file, its module; without a module, its kind).

import { packageOf, originOf } from "./origin.mjs";

function baseName(path) {
	return path.slice(path.lastIndexOf("/") + 1);
}

/** The name of a frame, as frame_name() in C without offsets. */
export function frameName(f) {
	if (f.name) return f.name;
	if (f.module)
		return f.start_off
			? `${baseName(f.module)}+${f.start_off}`
			: `[${baseName(f.module)}]`;
	return `[${f.kind ?? "unknown"}${f.start_off ? ` ${f.start_off}` : ""}${f.reason ? `: ${f.reason}` : ""}]`;
}

function isNameless(f) {
	return !f.name || f.name === "(anonymous)";
}

function whereOf(f) {
	return f.file ?? f.module ?? `[${f.kind ?? "unknown"}]`;
}

/** The build of a module in which the offset of a function without a name is valid. */
function buildOf(f) {
	return !f.name && f.module && f.start_off ? (f.build_id ?? "") : "";
}

/** Collects the starts of all frames with the same name and file. */
function findBases(frames) {
	const bases = new Map(),
		of = [];

	for (const f of frames) {
		const key = `${frameName(f)}\0${whereOf(f)}\0${buildOf(f)}\0${f.file ? "f" : "m"}`;
		const start =
			f.file && f.start_line ? `${f.start_line} ${f.start_column ?? 0}` : "";

		if (!bases.has(key))
			bases.set(key, { key, first: "", hasSeveral: false, line: 0, column: 0 });

		const base = bases.get(key);

		if (start && !base.first)
			Object.assign(base, {
				first: start,
				line: f.start_line,
				column: f.start_column ?? 0,
			});
		base.hasSeveral ||= Boolean(start) && base.first !== start;
		of.push(base);
	}
	return of;
}

function startOf(base, f) {
	if (!f.file) return [0, 0];
	if (f.start_line) return [f.start_line, f.start_column ?? 0];
	if (base.first && !base.hasSeveral) return [base.line, base.column];
	return [isNameless(f) ? (f.line ?? 0) : 0, 0];
}

/** Several functions that start on one line are distinguished by the column. */
function setPlaces(functions) {
	const columns = new Map();

	for (const f of functions) {
		const key = `${f.where}\0${f.line}`;

		if (!columns.has(key)) columns.set(key, new Set());
		columns.get(key).add(f.column);
	}
	for (const f of functions) {
		const isShared = f.column && columns.get(`${f.where}\0${f.line}`).size > 1;

		f.place = f.line
			? `${f.where}:${f.line}${isShared ? `:${f.column}` : ""}`
			: f.where;
		f.label = `${f.name} (${f.place})`;
	}
}

/**
 * Finds the functions of @record.
 *
 * Returns { functions, ofFrame }: { name, where, line, column, place, label, frame, kind, origin,
 * package }, and the index of each frame's function.
 */
export function findFunctions(record) {
	const bases = findBases(record.frames),
		index = new Map(),
		functions = [];
	const ofFrame = new Uint32Array(record.frames.length);

	record.frames.forEach((frame, i) => {
		const [line, column] = startOf(bases[i], frame),
			key = `${bases[i].key}\0${line} ${column}`;

		if (!index.has(key)) {
			index.set(key, functions.length);
			functions.push({
				name: frameName(frame),
				where: whereOf(frame),
				line,
				column,
				frame: i,
				kind: frame.kind ?? "unknown",
				origin: originOf(record, frame),
				package: packageOf(record, frame),
			});
		}
		ofFrame[i] = index.get(key);
	});
	setPlaces(functions);
	return { functions, ofFrame };
}
