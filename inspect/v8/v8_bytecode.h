/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds BytecodeArrays, and looks up offsets in them. Private to inspect/v8. */

#include "v8_code.h"

/*
 * Returns the BytecodeArray of an object, which is a BytecodeArray, InterpreterData or baseline
 * Code; or 0.
 */
u64 v8_bytecode_of(struct v8_heap *h, u64 tagged);
/* Returns the BytecodeArray of a SharedFunctionInfo, or 0 if there is none now. */
u64 v8_bytecode_of_function(struct v8_heap *h, u64 sfi);
/* Returns the BytecodeArray of baseline code @code, or 0 if the code does not belong to @sfi. */
u64 v8_baseline_bytecode(struct v8_heap *h, const struct v8_code *code, u64 sfi);
/* Is @code the function's own copy of the interpreter's entry? */
bool v8_code_enters(struct v8_heap *h, const struct v8_code *code, u64 sfi);

int v8_bytecode_array_len(struct v8_heap *h, u64 bytecode, u32 *len);
/* Reads the source position table of a BytecodeArray. The caller frees *bytes. */
int v8_bytecode_positions(struct v8_heap *h, u64 bytecode, u8 **bytes, struct v8_positions *t);
#define V8_NO_BYTECODE (-1)

/* Returns the script offset at a bytecode offset or V8_FUNCTION_ENTRY; or V8_NO_SCRIPT_OFFSET. */
s32 v8_bytecode_position(struct v8_heap *h, u64 bytecode, s32 offset);
/* Does any bytecode have this script offset? */
bool v8_bytecode_has_position(struct v8_heap *h, u64 bytecode, s32 offset);
/* Returns the bytecode that begins at @offset, or after a prefix at @offset; or V8_NO_BYTECODE. */
int v8_bytecode_at(struct v8_heap *h, u64 bytecode, s64 offset);
/*
 * Returns the offset of the only bytecode @op, or V8_NO_BYTECODE if there is none or more than one.
 */
s32 v8_bytecode_only(struct v8_heap *h, u64 bytecode, u8 op);
/*
 * Finds the bytecode offset at an offset of baseline code; returns the same as v8_baseline_find().
 */
int v8_baseline_offset(struct v8_heap *h, const struct v8_code *code, u64 bytecode, u32 off);
