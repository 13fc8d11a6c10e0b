/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* From a pc to its region, builtin or Code object, and what that is. Private to inspect/v8. */

#include "v8_object.h"
#include "v8_positions.h"

struct v8_code {
	u64 tagged;
	u64 start_addr;
	u32 len;
	u32 flags;
	u64 deopt; /* deoptimization data; baseline: the BytecodeArray (or InterpreterData) */
	u64 positions; /* source positions; baseline: bytecode offset table */
	enum v8_tier tier; /* NONE: code that is no function's */
	u32 kind;
};

/* Is it optimized? Then it has deoptimization data. */
static inline bool v8_code_is_optimized(const struct v8_code *code)
{
	return code->tier == V8_TIER_MAGLEV || code->tier == V8_TIER_TURBOFAN;
}

/* {u64 position of the call, i32 function, pad} of an inlined call. */
#define V8_INLINING_ENTRY_LEN 16

const struct v8_region *v8_region_at(const struct v8_heap *h, u64 pc);
/* Of a pc in V8's builtins: where in them; UINT64_MAX: it is not in its file. */
u64 v8_blob_offset(const struct v8_heap *h, u64 pc);
/* The builtin at a pc, or NULL. */
const struct v8_builtin *v8_builtin_at(const struct v8_heap *h, u64 pc);

/* The code at a pc; -ENOENT: none, or what reading gave. */
int v8_code_find(struct v8_heap *h, u64 pc, struct v8_code *code);
/* The code that this Code is. */
int v8_code_load(struct v8_heap *h, u64 tagged, struct v8_code *code);
/* Read again: is it still the same? */
bool v8_code_same(struct v8_heap *h, const struct v8_code *code);

/* Is it of a regular expression? V8 11 and later mark the frame; of these it is not known. */
bool v8_code_is_regexp(const struct v8_heap *h, const struct v8_code *code);

/* A source position table, tagged; *bytes, which @t refers to, to be freed. */
int v8_read_positions(struct v8_heap *h, u64 table, u8 **bytes, struct v8_positions *t);

/* A SharedFunctionInfo from a slot that holds it, a weak reference to it, or a wrapper; 0. */
u64 v8_unwrap_function(struct v8_heap *h, u64 word);
/* The function that optimized code was made for: tagged, or 0. */
u64 v8_code_function(struct v8_heap *h, const struct v8_code *code);
/*
 * V8 10 clears the deoptimization data of optimized code that it throws out, so whose it was
 * is not known any more; its positions are left. Is it such code?
 */
bool v8_code_is_cleared(struct v8_heap *h, const struct v8_code *code);
/* The interpreter's entry that @code is a copy of, or NULL: it has its length. */
const struct v8_builtin *v8_code_entry(const struct v8_heap *h, const struct v8_code *code);
