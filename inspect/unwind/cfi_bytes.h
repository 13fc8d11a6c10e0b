/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reads numbers from hostile bytes. Reads past the end return zero and set bad, so one check at the
 * end of a record is enough.
 */

#include <string.h>

#include "../../core/types.h"

struct cfi_bytes {
	const u8 *p, *end;
	bool bad;
};

/* Takes the next @len bytes; returns NULL if there are fewer. */
static inline const u8 *cfi_take(struct cfi_bytes *b, u64 len)
{
	const u8 *p = b->p;

	if (b->bad || len > (u64)(b->end - p)) {
		b->bad = true;
		return NULL;
	}
	b->p += len;
	return p;
}

/* Reads a little-endian number of 1 to 8 bytes. */
static inline u64 cfi_take_uint(struct cfi_bytes *b, u32 len)
{
	const u8 *p = cfi_take(b, len);
	u64 v = 0;

	for (u32 i = 0; p && i < len; i++)
		v |= (u64)p[i] << 8 * i;
	return v;
}

static inline u64 cfi_take_leb(struct cfi_bytes *b, bool is_signed)
{
	u64 v = 0;
	u8 byte = 0x80;

	for (u32 shift = 0; byte & 0x80; shift += 7) {
		byte = (u8)cfi_take_uint(b, 1);
		b->bad |= shift > 63;
		if (b->bad)
			return 0;
		v |= (u64)(byte & 0x7f) << shift;
		if (is_signed && !(byte & 0x80) && byte & 0x40 && shift + 7 < 64)
			v |= ~0ull << (shift + 7);
	}
	return v;
}

static inline u64 cfi_take_uleb(struct cfi_bytes *b)
{
	return cfi_take_leb(b, false);
}

static inline s64 cfi_take_sleb(struct cfi_bytes *b)
{
	return (s64)cfi_take_leb(b, true);
}
