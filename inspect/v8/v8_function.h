/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A cache of functions, with the SharedFunctionInfo as the key. Private to inspect/v8. */

#include "v8_code.h"
#include "v8_script.h"

#define V8_MAX_NAME 1024

/* A function and its name. It is valid until the cache is dropped. */
struct v8_function {
	struct v8_function *next, *next_by_bytecode;
	u64 tagged; /* SharedFunctionInfo */
	u64 key[4]; /* map, name or scope info, script, counts */
	u64 valid_ns; /* time of the last check */
	const char *name; /* NULL: a builtin without a name */
	struct v8_script *script; /* NULL: a builtin */
	s32 start; /* offset in the script's source, or V8_NO_SCRIPT_OFFSET */
	bool is_wasm_export; /* the function's frame is that of a stub that calls WebAssembly */
	u64 bytecode; /* the BytecodeArray last read, 0: none; it may have changed */
	u64 generation; /* changes when the address belongs to another function */
	u64 lines_generation; /* generation to which lines_vote belongs */
	s8 names_vote, lines_vote; /* enum v8_vote */
};

/*
 * Returns the function of a SharedFunctionInfo that was sampled at @time_ns, or NULL if no function
 * is at the address now.
 */
struct v8_function *v8_function_get(struct v8_heap *h, u64 sfi, u64 time_ns);

/* Returns the function's BytecodeArray, or 0 if there is none now. Caches the array as a hint. */
u64 v8_function_bytecode(struct v8_heap *h, struct v8_function *f);
struct v8_function *v8_function_by_bytecode(struct v8_heap *h, u64 bytecode, u64 time_ns);

/* May the function's lines be reported? */
bool v8_function_has_lines(struct v8_heap *h, struct v8_function *f);

/*
 * Returns the function of @bytecode that is being called: a cached function, else the function in
 * the sample's register. Returns NULL if that function has another BytecodeArray.
 */
struct v8_function *v8_function_called(struct v8_heap *h, const struct uw_sample *s, u64 bytecode);

/*
 * Returns the function that @code was compiled for, or NULL. Baseline code of V8 9.0 to 9.4 has no
 * reference to the function: for such code, returns the function in the sample's register if @code
 * belongs to that function.
 */
struct v8_function *v8_function_of(struct v8_heap *h, const struct uw_sample *s,
				   const struct v8_code *code);
