/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* WebAssembly's functions at a place in code. Private to inspect/v8. */

#include "v8_object.h"

#define V8_WASM_INLINED 16 /* V8's InliningTree::kMaxInliningNestingDepth is 7 */

/* WasmCode. */
struct v8_wasm_code {
	u64 addr, start_addr;
	u32 len;
	s32 function_idx; /* below 0: no function's */
	u64 positions_addr; /* source positions; what was inlined is behind them */
	u32 positions_len, inlined_len;
};

/* The code at @addr, if it is of @module; 0, -EINVAL or what reading gave. */
int v8_wasm_read_code(struct v8_heap *h, u64 module, u64 addr, struct v8_wasm_code *code);

/**
 * v8_wasm_expand() - the functions at a place in code, those that were inlined, too
 * @idx:	V8_WASM_INLINED of them, leaf first
 *
 * Return: how many; -EINVAL, -E2BIG or what reading gave: not known.
 */
int v8_wasm_expand(struct v8_heap *h, const struct v8_wasm_code *code, u64 pc, u32 *idx);
