/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A cache of functions by SharedFunctionInfo. Private to inspect/v8. */

#include "v8_code.h"
#include "v8_script.h"

#define V8_MAX_NAME 1024

/* A function with its name. Lives as long as the cache. */
struct v8_function {
	struct v8_function *next, *next_by_bytecode;
	u64 tagged; /* SharedFunctionInfo */
	u64 key[4]; /* map, name or scope info, script, counts */
	u64 valid_ns; /* time of the last check */
	const char *name; /* NULL: a builtin without a name */
	struct v8_script *script; /* NULL: a builtin */
	s32 start; /* offset in the script's source; -1: not known */
	bool is_wasm_export; /* its frame is that of a stub that calls WebAssembly */
	u64 bytecode; /* BytecodeArray last seen, 0: none; only a hint */
	u64 generation; /* changes when another function has the address */
	u64 lines_generation; /* generation for which lines_vote was cast */
	s8 names_vote, lines_vote; /* see v8_probe.c */
};

/*
 * The function of a SharedFunctionInfo that was sampled at @time_ns; NULL if no function is at the
 * address now.
 */
struct v8_function *v8_function_get(struct v8_heap *h, u64 sfi, u64 time_ns);

/* The function's BytecodeArray, or 0 if it has none now. Caches the array as a hint. */
u64 v8_function_bytecode(struct v8_heap *h, struct v8_function *f);
struct v8_function *v8_function_by_bytecode(struct v8_heap *h, u64 bytecode, u64 time_ns);

/* May lines of the function be reported? */
bool v8_function_has_lines(struct v8_heap *h, struct v8_function *f);

/*
 * The function of @bytecode that is being called: a cached one, else the one in the sample's
 * register. NULL if that function has another BytecodeArray.
 */
struct v8_function *v8_function_called(struct v8_heap *h, const struct uw_sample *s, u64 bytecode);

/*
 * The function that @code was compiled for, or NULL. Baseline code of V8 9.0 to 9.4 has no
 * reference to its function: then the function in the sample's register is returned if @code is its
 * code.
 */
struct v8_function *v8_function_of(struct v8_heap *h, const struct uw_sample *s,
				   const struct v8_code *code);
