// SPDX-License-Identifier: BSD-2-Clause

// Colours and patterns. Each origin of code has a colour and a pattern, so that the colour is not
// the only sign; a guess is hatched.

export const ORIGINS = {
	app: { name: "your code", color: "#f2a33a", pattern: "" },
	packages: { name: "packages", color: "#f0d06a", pattern: "dots" },
	runtime: { name: "runtime library", color: "#8fc98b", pattern: "rising" },
	builtins: { name: "V8 builtins", color: "#6fc7c0", pattern: "across" },
	native: { name: "native", color: "#8db4ea", pattern: "down" },
	kernel: { name: "kernel", color: "#e59aa5", pattern: "grid" },
	end: { name: "incomplete stack", color: "#c2c2c2", pattern: "" },
};

export const ACTIVITY_STYLES = {
	js: { name: "JS", color: "#f2a33a" },
	gc: { name: "GC", color: "#b48ae0" },
	compile: { name: "compile", color: "#e07ab8" },
	dotnet: { name: ".NET", color: "#8fc98b" },
	jit: { name: "JIT", color: "#6fc7c0" },
	native: { name: "native", color: "#8db4ea" },
	kernel: { name: "kernel", color: "#e59aa5" },
};

// The strokes of each pattern in a tile of 8 x 8 pixels: [x, y, x, y].
const STROKES = {
	dots: [
		[1, 1, 2.2, 1],
		[5, 5, 6.2, 5],
	],
	rising: [[-1, 9, 9, -1]],
	across: [[0, 4, 8, 4]],
	down: [[4, 0, 4, 8]],
	grid: [
		[0, 4, 8, 4],
		[4, 0, 4, 8],
	],
	guess: [
		[-2, -2, 10, 10],
		[-2, 6, 2, 10],
		[6, -2, 10, 2],
	],
};

/** Makes the patterns of a canvas: { name: CanvasPattern }. */
export function makePatterns(context) {
	const patterns = {};

	for (const [name, strokes] of Object.entries(STROKES)) {
		const tile = document.createElement("canvas"),
			pen = tile.getContext("2d");

		tile.width = tile.height = 8;
		pen.strokeStyle = name === "guess" ? "rgba(0,0,0,.55)" : "rgba(0,0,0,.13)";
		pen.lineWidth = name === "guess" ? 1.6 : 1;
		for (const [x0, y0, x1, y1] of strokes) {
			pen.beginPath();
			pen.moveTo(x0, y0);
			pen.lineTo(x1, y1);
			pen.stroke();
		}
		patterns[name] = context.createPattern(tile, "repeat");
	}
	return patterns;
}

/** Draws a sample of an origin's colour and pattern into a small canvas, for a legend. */
export function swatch(origin, isGuess = false) {
	const canvas = document.createElement("canvas"),
		pen = canvas.getContext("2d");
	const patterns = makePatterns(pen),
		style = ORIGINS[origin];

	canvas.width = 28;
	canvas.height = 14;
	canvas.setAttribute("aria-hidden", "true");
	pen.fillStyle = style.color;
	pen.fillRect(0, 0, 28, 14);
	for (const name of [style.pattern, isGuess && "guess"].filter(Boolean)) {
		pen.fillStyle = patterns[name];
		pen.fillRect(0, 0, 28, 14);
	}
	return canvas;
}

/** Sizes a canvas for the screen's pixels. Returns its context, scaled to CSS pixels. */
export function fitCanvas(canvas, width, height) {
	const scale = window.devicePixelRatio || 1;

	canvas.width = Math.max(1, Math.round(width * scale));
	canvas.height = Math.max(1, Math.round(height * scale));
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;

	const context = canvas.getContext("2d");

	context.setTransform(scale, 0, 0, scale, 0, 0);
	return context;
}

export function cssColor(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
