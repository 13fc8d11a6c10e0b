/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Makes a function's name, file and line for a profile. Private to inspect/v8. */

#include "v8_function.h"

#define V8_MISFIT "unexpected V8 heap layout"

/* Sets @f's name, file and start, without a line. */
void v8_name_function(struct v8_heap *h, const struct v8_function *f, struct v8_name *name);

/* Sets the reason, unless there is one already. Returns 1. */
int v8_give_reason(struct v8_name *name, const char *reason);

/* Sets the line and column of @pos, which is an offset in @f's script; negative: unknown. */
void v8_locate(struct v8_heap *h, struct v8_function *f, s32 pos, struct v8_name *name);
