/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* WebAssembly's functions by pc. Private to inspect/v8. */

#include "v8_object.h"

/*
 * The WebAssembly functions at a pc, leaf first. How many; -ENOENT: there is none, -EINVAL:
 * there is code, and whose is not known, -ENOTSUP: nothing is known of this build's.
 */
int v8_wasm_name(struct v8_heap *h, u64 pc, u64 time_ns, struct v8_name *names);
/* The same of a frame that is WebAssembly's: at least one, with the reason if it is not known. */
int v8_wasm_name_frame(struct v8_heap *h, u64 pc, u64 time_ns, struct v8_name *names);
/* A frame of an exported function: it is the code that calls it. Gives one. */
int v8_wasm_name_export(struct v8_name *names);
void v8_wasm_forget(struct v8_heap *h);
void v8_wasm_free(struct v8_heap *h);
