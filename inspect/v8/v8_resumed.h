/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where optimized code goes on after a call out of line. Private to inspect/v8. */

#include "v8_code.h"

/**
 * v8_code_resumed() - where code goes on after a call that is out of its line
 * @ra:		return address in @code
 *
 * Such code, after all else, has no positions of its own.
 *
 * Return: where the jump back leads that stands at @ra, or after what only fills registers
 *         (x86-64), or 0.
 */
u64 v8_code_resumed(struct v8_heap *h, const struct v8_code *code, u64 ra);
/* The same of a call of TurboFan's that allocates (x86-64); 0: it is not one. */
u64 v8_code_allocated(struct v8_heap *h, const struct v8_code *code, u64 ra);
