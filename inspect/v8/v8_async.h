/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Awaiters. Private to inspect/v8. */

#include "v8_build.h"

/* Fills @a and returns NULL, or zeroes @a and returns the reason. */
const char *v8_async_fill(struct v8_async *a, const struct v8_build *b);

/* Returns the name of builtin @id if the builtin awaits elements, like Promise.all, else NULL. */
const char *v8_async_name(const struct v8_async *a, u32 id);
