/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Positions of calls of inlined functions. Private to inspect/v8. */

#include "v8_resolver.h"

/*
 * Corrects the positions of the calls in @out[1..n-1], which are wrong in some code.
 * @d: deoptimization data, of which positions and tree have been read
 * @ids: indices of the inlined calls of @out[0..n-2]
 */
void v8_deopt_callers(struct v8_deopt *d, const s32 *ids, struct v8_inlined *out, int n);
