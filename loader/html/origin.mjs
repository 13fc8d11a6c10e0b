// SPDX-License-Identifier: BSD-2-Clause

// The origin and the package of a frame's code, by the rules of loader/query/origin.c. A version
// of a package is known only if the path has it, because the page can't read package.json.

const NODE_MODULES = "/node_modules/";
const FRAMEWORK = [
	"System.",
	"Microsoft.",
	"mscorlib",
	"netstandard",
	"WindowsBase",
	"FSharp.Core",
];
const INTERPRETER = /^(python|ruby|php|perl|java|lua|bash|sh|dash|node|dotnet|bun|deno)[0-9.]*$/;

function baseName(path) {
	return path.slice(path.lastIndexOf("/") + 1);
}

function npmPackage(file) {
	const at = file.lastIndexOf(NODE_MODULES);

	if (at < 0) return null;

	const name = file.slice(at + NODE_MODULES.length).match(/^(@[^/]*\/[^/]*|[^/]*)\//)?.[1];

	if (name === undefined) return null;

	const version = file.slice(0, at).match(/\/node_modules\/\.pnpm\/.[^@]*@([^/_(]*)/)?.[1];

	return version ? `${name}@${version}` : name;
}

/** The name of the package of a file, with its version if the path has it; null: no package. */
export function packageOfFile(file) {
	return (
		npmPackage(file) ??
		file.match(/\/go\/pkg\/mod\/([^@]*@[^/]*)/)?.[1] ??
		file
			.match(/\/registry\/src\/[^/]*\/(.*?-[0-9][^/]*)/)?.[1]
			.replace(/-(?=[0-9])/, "@") ??
		null
	);
}

function packageOfFrame(f) {
	return (
		(f.file && packageOfFile(f.file)) ||
		(f.generated_file && packageOfFile(f.generated_file)) ||
		null
	);
}

// Up to Node.js 14, the paths of Node.js's own files have no "node:" prefix.
function isOfNode(file) {
	return (
		file.startsWith("node:") ||
		file.startsWith("internal/") ||
		(!/[/:[<]/.test(file) && file.length > 3 && file.endsWith(".js"))
	);
}

function ofJs(f) {
	if (!f.file) return f.name && !f.reason ? "builtins" : "app";
	if (f.ignored) return "packages";
	if (!f.generated_file && isOfNode(f.file)) return "runtime";
	return packageOfFrame(f) ? "packages" : "app";
}

function ofDotnet(f) {
	if (!f.module) return f.name?.startsWith("System.") ? "runtime" : "app";
	return f.module === "System" || FRAMEWORK.some((part) => f.module.startsWith(part))
		? "runtime"
		: "app";
}

function ofJit(f) {
	const text = f.file ?? f.name ?? "";

	if (text.includes("/site-packages/") || text.includes("/dist-packages/")) return "packages";
	return text.includes("<frozen ") || text.includes("/lib/python3") ? "runtime" : "app";
}

function ofProgram(f) {
	if (f.file && packageOfFile(f.file)) return "packages";
	if (
		f.name?.startsWith("runtime.") ||
		f.name === "_start" ||
		f.file?.includes("/go/src/") ||
		f.file?.startsWith("/rustc/") ||
		f.file?.startsWith("/usr/lib/go-")
	)
		return "runtime";
	return "app";
}

/** Is @module the executable of a process that has no supported runtime? */
function isProgram(record, module) {
	const p = record.processes.find(
		({ exe, runtime }) =>
			exe &&
			!runtime &&
			module &&
			(exe === module ||
				(module[0] !== "/" && baseName(exe) === baseName(module))),
	);

	return p !== undefined && !INTERPRETER.test(baseName(p.exe));
}

/** Returns app, packages, runtime, builtins, native or kernel. */
export function originOf(record, f) {
	switch (f.kind) {
		case "js":
		case "wasm":
			return ofJs(f);
		case "builtin":
		case "regexp":
		case "stub":
			return "builtins";
		case "dotnet":
			return ofDotnet(f);
		case "jit":
			return ofJit(f);
		case "kernel":
			return "kernel";
		default:
			return isProgram(record, f.module) ? ofProgram(f) : "native";
	}
}

/** Returns the package, assembly or module; JavaScript outside of packages is in "app" or "node". */
export function packageOf(record, f) {
	const name = packageOfFrame(f) ?? f.module;

	if (name) return name;
	if (f.kind !== "js" && f.kind !== "wasm") return f.kind ?? "unknown";
	return originOf(record, f) === "runtime" ? "node" : "app";
}
