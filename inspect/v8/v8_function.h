/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a SharedFunctionInfo is called, cached. Private to inspect/v8. */

#include "v8_code.h"
#include "v8_script.h"

#define V8_MAX_NAME 1024

/* A function's name. Lives as long as the cache. */
struct v8_function {
	struct v8_function *next, *next_by_bytecode;
	u64 tagged; /* SharedFunctionInfo */
	u64 key[4]; /* map, name or scope info, script, counts */
	u64 valid_ns; /* it was this function up to then */
	const char *name; /* NULL: a builtin without a name */
	struct v8_script *script; /* NULL: a builtin */
	s32 start; /* offset in the script's source; -1: not known */
	bool is_wasm_export; /* its frame is of code that calls WebAssembly */
	u64 bytecode; /* last seen, 0: never; only a hint */
	u64 generation; /* new when another function took the address */
	u64 lines_generation; /* when lines_vote was asked */
	s8 names_vote, lines_vote; /* v8_probe.c */
};

/*
 * The function of a SharedFunctionInfo that was seen at @time_ns; NULL when there
 * is none at that address now.
 */
struct v8_function *v8_function_get(struct v8_heap *h, u64 sfi, u64 time_ns);

/* The function's own BytecodeArray, 0 if it has none now. Also remembers it as a hint. */
u64 v8_function_bytecode(struct v8_heap *h, struct v8_function *f);
struct v8_function *v8_function_by_bytecode(struct v8_heap *h, u64 bytecode, u64 time_ns);

/* May its lines be reported? */
bool v8_function_has_lines(struct v8_heap *h, struct v8_function *f);

/*
 * The function of @bytecode that is being called: one that was met before, else the one in the
 * sample's register. NULL when that has another BytecodeArray.
 */
struct v8_function *v8_function_called(struct v8_heap *h, const struct uw_sample *s, u64 bytecode);

/*
 * The function that @code was made for, NULL if that is not known. Baseline code of V8 9.0 to 9.4
 * does not tell it: then it is the one in the sample's register, if it is run by @code.
 */
struct v8_function *v8_function_of(struct v8_heap *h, const struct uw_sample *s,
				   const struct v8_code *code);
