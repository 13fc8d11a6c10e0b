/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* BytecodeArrays: who has one, and offsets in it. Private to inspect/v8. */

#include "v8_code.h"

/* BytecodeArray from what holds one (itself, InterpreterData, baseline Code), or 0. */
u64 v8_bytecode_of(struct v8_heap *h, u64 tagged);
/* Of a SharedFunctionInfo, or 0: it has none now. */
u64 v8_bytecode_of_function(struct v8_heap *h, u64 sfi);
/* The same of baseline code that runs @sfi, 0 if it is not the function's. */
u64 v8_baseline_bytecode(struct v8_heap *h, const struct v8_code *code, u64 sfi);
/* Is it the function's own copy of the interpreter's entry? */
bool v8_code_enters(struct v8_heap *h, const struct v8_code *code, u64 sfi);

int v8_bytecode_array_len(struct v8_heap *h, u64 bytecode, u32 *len);
/* The source position table; *bytes to be freed. */
int v8_bytecode_positions(struct v8_heap *h, u64 bytecode, u8 **bytes, struct v8_positions *t);
/* Script offset at a bytecode offset (-1: the function's entry), or -1. */
s32 v8_bytecode_position(struct v8_heap *h, u64 bytecode, s32 offset);
/* Does a bytecode have this script offset? */
bool v8_bytecode_has_position(struct v8_heap *h, u64 bytecode, s32 offset);
/* The bytecode that begins at @offset, or behind its prefix there; -1: none does. */
int v8_bytecode_at(struct v8_heap *h, u64 bytecode, s64 offset);
/* Where in a BytecodeArray the only bytecode @op is; -1: it is not the only one. */
s32 v8_bytecode_only(struct v8_heap *h, u64 bytecode, u8 op);
/* Bytecode offset at an offset of baseline code, -1 in its prologue, or -ENOENT. */
int v8_baseline_offset(struct v8_heap *h, const struct v8_code *code, u64 bytecode, u32 off);
