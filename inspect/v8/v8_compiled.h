/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Names of compiled functions. Private to inspect/v8. */

#include "v8_resolver.h"
#include "v8_source.h"

/*
 * Names the functions at @pc of @f's code, inlined functions first. Returns the number of names (at
 * most V8_MAX_NAMES), -ENOENT if there is no code at @pc or, with V8_VIA_EXIT, no exit, or -ESTALE
 * if the code belongs to another function.
 */
int v8_name_compiled(struct v8_heap *h, const struct uw_sample *s, struct v8_function *f, u64 pc,
		     enum v8_via via, struct v8_name *names);
