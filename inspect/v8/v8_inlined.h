/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* One function of an optimized frame. Private to inspect/v8. */

#include "v8_code.h"

struct v8_inlined {
	u64 sfi;
	s32 pos; /* offset in its script, or -1 */
	bool is_bytecode; /* @pos is the offset of a bytecode, -1: the function's entry */
	bool is_anywhere; /* @pos means nothing */
	const char *why; /* it has no line, or NULL */
};
