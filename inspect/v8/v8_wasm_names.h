/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A WebAssembly module, with the names of the module and its functions. Private to inspect/v8. */

#include "v8_object.h"

/* A module. */
struct v8_wasm_module {
	struct v8_wasm_module *next;
	u64 addr; /* NativeModule */
	u64 bytes_addr, bytes_len;
	u32 bytes_off, codes_off; /* in NativeModule: pointer to the bytes, and tree of code */
	u32 n_imports; /* number of imported functions, which precede the module's own */
	u32 n_own;
	bool is_understood; /* n_imports is known */
	const char *url; /* as in Error.stack, or NULL */
	u8 *names; /* payload of the section "name", or NULL */
	u32 *name_offs; /* for each function, the offset in @names of the name's length; 0: none */
	u32 names_len, n_names;
	struct v8_wasm_code *fresh; /* code that V8 has not yet added to the tree, by address */
	u32 n_fresh;
	u64 fresh_key[4]; /* V8's list: begin, end, last; number of codes in the tree */
};

/**
 * v8_wasm_read_names() - read the names of a module and its functions from its bytes
 * @m:		bytes_addr and bytes_len are set
 *
 * Return: 0 (with or without names), -ENOMEM, -EINVAL (not a module) or the error of a read.
 */
int v8_wasm_read_names(struct v8_heap *h, struct v8_wasm_module *m);

/* Returns the name as UTF-8, or NULL. @buf: @len bytes. */
const char *v8_wasm_function_name(const struct v8_wasm_module *m, u32 idx, char *buf, size_t len);

void v8_wasm_module_free(struct v8_wasm_module **m);
