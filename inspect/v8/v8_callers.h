/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where inlined functions are called. Private to inspect/v8. */

#include "v8_resolver.h"

/*
 * Puts right where @out[1..n-1] call, of which V8's positions are wrong in some code.
 * @d: positions and tree are read
 * @ids: indices of the inlined calls of @out[0..n-2]
 */
void v8_deopt_callers(struct v8_deopt *d, const s32 *ids, struct v8_inlined *out, int n);
