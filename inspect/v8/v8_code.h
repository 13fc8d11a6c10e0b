/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds the region, builtin or Code object of a pc. Private to inspect/v8. */

#include "v8_object.h"
#include "v8_positions.h"

struct v8_code {
	u64 tagged;
	u64 start_addr;
	u32 len;
	u32 flags;
	u64 deopt; /* deoptimization data; baseline: the BytecodeArray (or InterpreterData) */
	u64 positions; /* source positions; baseline: bytecode offset table */
	enum v8_tier tier; /* V8_TIER_NONE if the code is not that of a function */
	u32 kind;
};

/* Optimized code has deoptimization data. */
static inline bool v8_code_is_optimized(const struct v8_code *code)
{
	return code->tier == V8_TIER_MAGLEV || code->tier == V8_TIER_TURBOFAN;
}

/* Length of the entry of an inlined call: {u64 position of the call, i32 function, pad}. */
#define V8_INLINING_ENTRY_LEN 16

const struct v8_region *v8_region_at(const struct v8_heap *h, u64 pc);
#define V8_NO_BLOB_OFFSET (~0ull)
/*
 * Returns the offset of a pc in the embedded builtins, or V8_NO_BLOB_OFFSET if the pc is in no
 * mapping of the file.
 */
u64 v8_blob_offset(const struct v8_heap *h, u64 pc);
/* Returns the builtin at a pc, or NULL. */
const struct v8_builtin *v8_builtin_at(const struct v8_heap *h, u64 pc);

/* Finds the code at a pc. Returns 0, -ENOENT or the error of a read. */
int v8_code_find(struct v8_heap *h, u64 pc, struct v8_code *code);
/* Reads a Code object. */
int v8_code_load(struct v8_heap *h, u64 tagged, struct v8_code *code);
/* Reads the Code again. Is it unchanged? */
bool v8_code_same(struct v8_heap *h, const struct v8_code *code);

/*
 * Is it a regular expression's code? Always false for V8 11 and later, which mark the frame of a
 * regular expression instead.
 */
bool v8_code_is_regexp(const struct v8_heap *h, const struct v8_code *code);

/* Reads a source position table (tagged). @t refers to *bytes, which the caller frees. */
int v8_read_positions(struct v8_heap *h, u64 table, u8 **bytes, struct v8_positions *t);

/*
 * Returns the SharedFunctionInfo to which the word of a slot refers, directly, weakly or through a
 * wrapper; or 0 if there is none.
 */
u64 v8_unwrap_function(struct v8_heap *h, u64 word);
/* Returns the function that optimized code was compiled for, tagged, or 0. */
u64 v8_code_function(struct v8_heap *h, const struct v8_code *code);
/*
 * Is @code discarded? Has V8 cleared the deoptimization data of @code? V8 10 does so when it
 * discards code; the function is then unknown, but the positions are not.
 */
bool v8_code_is_cleared(struct v8_heap *h, const struct v8_code *code);
/*
 * Returns the builtin of which @code is a copy, or NULL. The builtin is the interpreter's entry
 * that has the same length as @code.
 */
const struct v8_builtin *v8_code_entry(const struct v8_heap *h, const struct v8_code *code);
