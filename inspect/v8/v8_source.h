/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A function as it is called in a profile: name, file, line. Private to inspect/v8. */

#include "v8_function.h"

#define V8_MISFIT "unexpected V8 heap layout"

/* @f's name, file and start, without a line. */
void v8_name_function(struct v8_heap *h, const struct v8_function *f, struct v8_name *name);

/* Why something is missing; the first reason stays. Returns 1. */
int v8_give_reason(struct v8_name *name, const char *reason);

/* The line and column of @pos, an offset in @f's script; negative: not known. */
void v8_locate(struct v8_heap *h, struct v8_function *f, s32 pos, struct v8_name *name);
