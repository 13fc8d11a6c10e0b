// SPDX-License-Identifier: BSD-2-Clause

#include "reasons.h"

#include <string.h>

const struct reason_alias reason_aliases[] = {
	{ "caller's frame below stack pointer", "CFA out of range" },
	{ "no method here", "no method at pc" },
	{ "unwind information not understood", "invalid unwind info" },
	{ "waiting object not known", "unknown awaiter type" },
	{ "waiting object unreadable", "task unreadable" },
	{ "who waits is unreadable", "awaiter unreadable" },
	{ "several wait", "multiple awaiters" },
	{ "more wait", "await depth limit" },
	{ "several wait for it", "multiple awaiters" },
	{ "it does not say where it waits", "await position unknown" },
	{ "an async method nearer to the leaf was not known yet", "inner async method unknown" },
	{ "its task is not where it was expected", "async task not found" },
	{ "interrupted before its frame existed", "interrupted before frame setup" },
	{ "the interpreter's registers are gone", "interpreter registers lost" },
	{ "the frame's bytecode is not the function's", "bytecode array mismatch" },
	{ "no bytecode offset in the frame", "no bytecode offset" },
	{ "the bytecode offset table is unreadable", "bytecode offset table unreadable" },
	{ "the code at pc is another function's", "code of another function" },
	{ "code that is no function's", "code without a function" },
	{ "a frame of unknown type", "unknown frame type" },
	{ "the symbols of builtins are stripped", "builtin symbols stripped" },
	{ "a builtin without a name", "unnamed builtin" },
	{ "the function is in a builtin", "pc in a builtin" },
	{ "pc is in no code of V8", "pc outside V8 code" },
	{ "no return address at the top of the stack", "no return address at sp" },
	{ "the function moved or is unreadable", "function moved or unreadable" },
	{ "the inlined functions are unreadable", "inlined functions unreadable" },
	{ "WebAssembly of this V8 is not read", "unsupported WebAssembly layout" },
	{ "its code is given up, and does not tell where",
	  "deoptimized; source position ambiguous" },
	{ "it is at no exit", "not a deoptimization exit" },
	{ "it is before the first exit", "before first deoptimization exit" },
	{ "it is in line", "not deferred code" },
	{ "no call with a deoptimization point ends there", "no deoptimization point" },
	{ "its code was thrown out meanwhile", "code discarded" },
	{ "this code does not tell its line", "source position unknown" },
	{ "no position in the code's table", "no source position" },
	{ "the position is outside of the script", "position outside script" },
	{ "the line is before the file's first", "line before file start" },
	{ "the script moved", "script moved" },
	{ "the script is too large", "script too large" },
	{ "the script's source is unreadable", "script source unreadable" },
	{ "V8's heap is not laid out as expected", "unexpected V8 heap layout" },
	{ "it was built without metadata", "built without V8 metadata" },
	{ "it was built for Deno, without metadata", "Deno, built without V8 metadata" },
	{ "it was built for Electron, without metadata", "Electron, built without V8 metadata" },
	{ "its embedded builtins were not found", "embedded builtins not found" },
	{ "the metadata lacks the slots of a frame", "no frame slots in metadata" },
	{ "the metadata has odd slots of a frame", "invalid frame slots in metadata" },
	{ "the runtime does not tell its version", "runtime version unknown" },
	{ "a part of the runtime without a name", "unnamed runtime code" },
	{ "no code here any more", "code no longer present" },
	{ "the module's metadata is not in memory", "module metadata not found" },
	{ "there is no portable PDB", "no portable PDB" },
	{ "the PDB has no line for it", "no line in PDB" },
	{ "no IL belongs to this code", "no IL for this code" },
	{ "the method's signature can't be read", "method signature unreadable" },
	{ "a type argument can't be named", "type argument unreadable" },
	{ "the dynamic method is gone", "dynamic method freed" },
	{ "the dynamic method has no name", "dynamic method unnamed" },
	{ "the index of the precompiled code can't be read", "ReadyToRun index unreadable" },
	{ "the runtime does not tell the method of this precompiled code",
	  "composite method unknown" },
	{ "what the runtime keeps of it can't be read", "method data unreadable" },
	{ "a stub of a kind that is not known", "unknown stub kind" },
	{ "its perf map is no regular file", "perf map not a regular file" },
	{ "its perf map is of another user", "perf map of another user" },
	{ "its perf map is of an earlier process", "perf map of an earlier process" },
	{ "more functions than can be kept", "too many functions" },
	{ NULL, NULL },
};

const char *reason_current(const char *words)
{
	for (const struct reason_alias *a = reason_aliases; words && a->old; a++)
		if (!strcmp(words, a->old))
			return a->now;
	return words;
}

/* Whether @typed means @words. A dash in @typed may replace each blank. */
static bool is_typed(const char *typed, const char *words)
{
	size_t i = 0;

	while (words[i] && (typed[i] == words[i] || (typed[i] == '-' && words[i] == ' ')))
		i++;
	return !words[i] && !typed[i];
}

bool reason_matches(const char *typed, const char *words)
{
	const struct reason_alias *a = reason_aliases;

	if (is_typed(typed, words))
		return true;
	while (a->old && (strcmp(a->now, words) || !is_typed(typed, a->old)))
		a++;
	return a->old;
}
