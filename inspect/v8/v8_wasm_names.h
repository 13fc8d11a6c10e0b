/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A module of WebAssembly, and its names for itself and its functions. Private to inspect/v8. */

#include "v8_object.h"

/* A module, as its own bytes have it. */
struct v8_wasm_module {
	struct v8_wasm_module *next;
	u64 addr; /* NativeModule */
	u64 bytes_addr, bytes_len;
	u32 bytes_off, codes_off; /* in NativeModule: what leads to them, the tree of its code */
	u32 n_imports; /* functions; those of its own come after them */
	u32 n_own;
	bool is_understood; /* n_imports is known */
	const char *url; /* as Error.stack has it, or NULL */
	u8 *names; /* payload of the section "name", or NULL */
	u32 *name_offs; /* by function: where in it its name's length is, 0: none */
	u32 names_len, n_names;
	struct v8_wasm_code *fresh; /* code that is not in the tree yet, by address */
	u32 n_fresh;
	u64 fresh_key[4]; /* V8's list that it was read from: begin, end, last; codes in the tree */
};

/**
 * v8_wasm_read_names() - take from a module's bytes what it calls itself and its functions
 * @m:		bytes_addr and bytes_len are set
 *
 * Return: 0 (with or without names), -ENOMEM, -EINVAL (no module) or what reading gave.
 */
int v8_wasm_read_names(struct v8_heap *h, struct v8_wasm_module *m);

/* As UTF-8, or NULL: it has none. @buf: of @len bytes. */
const char *v8_wasm_function_name(const struct v8_wasm_module *m, u32 idx, char *buf, size_t len);

void v8_wasm_module_free(struct v8_wasm_module **m);
