/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* From a pc to its region, builtin or Code object. Private to inspect/v8. */

#include "v8_object.h"
#include "v8_positions.h"

struct v8_code {
	u64 tagged;
	u64 start_addr;
	u32 len;
	u32 flags;
	u64 deopt; /* deoptimization data; baseline: the BytecodeArray (or InterpreterData) */
	u64 positions; /* source positions; baseline: bytecode offset table */
	enum v8_tier tier; /* NONE: not the code of a function */
	u32 kind;
};

/* Optimized code has deoptimization data. */
static inline bool v8_code_is_optimized(const struct v8_code *code)
{
	return code->tier == V8_TIER_MAGLEV || code->tier == V8_TIER_TURBOFAN;
}

/* {u64 position of the call, i32 function, pad} of an inlined call. */
#define V8_INLINING_ENTRY_LEN 16

const struct v8_region *v8_region_at(const struct v8_heap *h, u64 pc);
/* The offset of a pc in the embedded builtins; UINT64_MAX: it is in no mapping of the file. */
u64 v8_blob_offset(const struct v8_heap *h, u64 pc);
/* The builtin at a pc, or NULL. */
const struct v8_builtin *v8_builtin_at(const struct v8_heap *h, u64 pc);

/* The code at a pc. 0, -ENOENT or the error of a read. */
int v8_code_find(struct v8_heap *h, u64 pc, struct v8_code *code);
/* Reads a Code object. */
int v8_code_load(struct v8_heap *h, u64 tagged, struct v8_code *code);
/* Reads the Code again: is it unchanged? */
bool v8_code_same(struct v8_heap *h, const struct v8_code *code);

/* Is it a regular expression's code? Not known for V8 11 and later, which mark the frame. */
bool v8_code_is_regexp(const struct v8_heap *h, const struct v8_code *code);

/* Reads a source position table (tagged); @t refers to *bytes, which is to be freed. */
int v8_read_positions(struct v8_heap *h, u64 table, u8 **bytes, struct v8_positions *t);

/* A SharedFunctionInfo from a slot that has it, a weak reference to it or a wrapper; or 0. */
u64 v8_unwrap_function(struct v8_heap *h, u64 word);
/* The function that optimized code was compiled for, tagged, or 0. */
u64 v8_code_function(struct v8_heap *h, const struct v8_code *code);
/*
 * Is @code discarded? V8 10 clears the deoptimization data of discarded code, so that its function
 * is lost, but its positions are not.
 */
bool v8_code_is_cleared(struct v8_heap *h, const struct v8_code *code);
/* The builtin of which @code is a copy, an entry of the interpreter of equal length; or NULL. */
const struct v8_builtin *v8_code_entry(const struct v8_heap *h, const struct v8_code *code);
