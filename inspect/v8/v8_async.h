/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Functions that wait. Private to inspect/v8. */

#include "v8_build.h"

/* All zero with the reason if they can't be found in this build; else NULL. */
const char *v8_async_fill(struct v8_async *a, const struct v8_build *b);

/* What a builtin is called that waits for its elements; NULL: it is none of them. */
const char *v8_async_name(const struct v8_async *a, u32 id);
