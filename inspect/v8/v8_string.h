/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Strings of a V8 heap. Private to inspect/v8. */

#include "v8_object.h"

struct v8_chars {
	const void *chars; /* u8 Latin-1 or u16 UTF-16, host order */
	size_t n;
	bool two_byte;
};

/**
 * v8_string_visit() - call a function for each piece of a string
 * @max:	maximum number of characters to visit
 * @holds:	the kind of memory to read, for struct target
 * @fn:		a non-zero return ends the visit
 *
 * Return: the last result of @fn, or 0, -EINVAL (not a string), -E2BIG (too many pieces, or too
 * deep), -EFAULT or -ESRCH.
 */
int v8_string_visit(struct v8_heap *h, u64 tagged, size_t max, enum target_holds holds,
		    int (*fn)(const struct v8_chars *c, void *data), void *data);

/*
 * Same as v8_string_visit(), but visits only the @n units from @from on. Returns -EINVAL if the
 * string is shorter.
 */
int v8_string_visit_part(struct v8_heap *h, u64 tagged, u32 from, u32 n, enum target_holds holds,
			 int (*fn)(const struct v8_chars *c, void *data), void *data);

/*
 * Converts to UTF-8, with U+FFFD for invalid characters; a text that was cut ends in "..."
 * (U+2026).
 */
int v8_string_utf8(struct v8_heap *h, u64 tagged, char *dst, size_t len);
bool v8_is_string(struct v8_heap *h, u64 tagged);
