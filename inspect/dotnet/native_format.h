/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The runtime's own "native format" (not ECMA-335's): integers of one to five bytes, a
 * sparse array, a hash table. Over bytes that were copied and are not trusted.
 */

#include <stddef.h>

#include "../../core/types.h"

struct native_format {
	const u8 *bytes;
	u32 len;
};

/* An integer at *pos, which is moved behind it. 0 or -EINVAL. */
int native_format_uint(const struct native_format *f, u32 *pos, u32 *value);
int native_format_sint(const struct native_format *f, u32 *pos, s32 *value);

/* How many places the array at the front of the bytes has; 0 or -EINVAL. */
int native_format_array_len(const struct native_format *f, u32 *n);

/* Where the element of an array lies; -ENOENT: the place is empty. */
int native_format_array_find(const struct native_format *f, u32 idx, u32 *pos);

/*
 * Each element of the hash table at the front of the bytes; what @fn returns ends it unless
 * it is 0. Returns that, 0, or -EINVAL.
 */
int native_format_each(const struct native_format *f, int (*fn)(u32 pos, void *data), void *data);
