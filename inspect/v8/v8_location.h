/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The functions at a pc of optimized code. Private to inspect/v8. */

#include "v8_bytecode.h"
#include "v8_inlined.h"

/* Script offset at a pc of cleared code, if it is one of the function of @bytecode; else -1. */
s32 v8_code_cleared_position(struct v8_heap *h, const struct v8_code *code, u64 bytecode, u64 pc);

/*
 * Functions at a pc of optimized code, leaf first; how many, or a negative errno.
 * @out: V8_MAX_NAMES - 1 of them
 */
int v8_code_expand(struct v8_heap *h, const struct v8_code *code, u64 pc, struct v8_inlined *out);
