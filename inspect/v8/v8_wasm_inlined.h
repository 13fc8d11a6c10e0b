/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds the WebAssembly functions at a pc, including inlined functions. Private to inspect/v8. */

#include "v8_object.h"

#define V8_WASM_INLINED 16 /* V8's InliningTree::kMaxInliningNestingDepth is 7 */

/* WasmCode. */
struct v8_wasm_code {
	u64 addr, start_addr;
	u32 len;
	s32 function_idx; /* below 0: the code is not that of a function */
	u64 positions_addr; /* source positions, followed by the list of inlined calls */
	u32 positions_len, inlined_len;
};

/* Reads the code at @addr if it belongs to @module. Returns 0, -EINVAL or the error of a read. */
int v8_wasm_read_code(struct v8_heap *h, u64 module, u64 addr, struct v8_wasm_code *code);

/**
 * v8_wasm_expand() - find the functions at a pc, including inlined ones
 * @idx:	array of V8_WASM_INLINED elements; filled leaf first
 *
 * Return: the number of functions, -EINVAL, -E2BIG or the error of a read.
 */
int v8_wasm_expand(struct v8_heap *h, const struct v8_wasm_code *code, u64 pc, u32 *idx);
