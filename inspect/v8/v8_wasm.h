/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds and names WebAssembly functions by pc. Private to inspect/v8. */

#include "v8_object.h"

/*
 * Names the WebAssembly functions at a pc, leaf first. Returns the number of functions, -ENOENT if
 * there is none, -EINVAL if the code's function is unknown, or -ENOTSUP for this build.
 */
int v8_wasm_name(struct v8_heap *h, u64 pc, u64 time_ns, struct v8_name *names);
/*
 * Names the functions of a WasmFrame, like v8_wasm_name(), but always fills at least one name: if
 * the function is unknown, this name has the reason.
 */
int v8_wasm_name_frame(struct v8_heap *h, u64 pc, u64 time_ns, struct v8_name *names);
/* Names the frame of a stub that calls an exported function. Fills one name. */
int v8_wasm_name_export(struct v8_name *names);
void v8_wasm_forget(struct v8_heap *h);
void v8_wasm_free(struct v8_heap *h);
