/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Decodes the runtime's "native format", which is not that of ECMA-335: integers of one to
 * five bytes, sparse arrays and hash tables. The functions read a copy of the bytes, and do
 * not trust it.
 */

#include <stddef.h>

#include "../../core/types.h"

struct native_format {
	const u8 *bytes;
	u32 len;
};

/* Decodes an integer and moves *pos to its end. Returns 0 or -EINVAL. */
int native_format_uint(const struct native_format *f, u32 *pos, u32 *value);
int native_format_sint(const struct native_format *f, u32 *pos, s32 *value);

/* Gets the number of places of the array at the start of the bytes. Returns 0 or -EINVAL. */
int native_format_array_len(const struct native_format *f, u32 *n);

/* Finds the position of an array's element. Returns -ENOENT if the array has no element @idx. */
int native_format_array_find(const struct native_format *f, u32 idx, u32 *pos);

/*
 * Visits each element of the hash table at the start of the bytes, until @fn returns anything but
 * 0. Returns the last result of @fn, or -EINVAL if the table is invalid.
 */
int native_format_each(const struct native_format *f, int (*fn)(u32 pos, void *data), void *data);
