/* SPDX-License-Identifier: BSD-2-Clause */

#include <errno.h>

#include "metadata_number.h"

int metadata_uint(const u8 *b, size_t len, u32 *value)
{
	if (len >= 1 && !(b[0] & 0x80)) {
		*value = b[0];
		return 1;
	}
	if (len >= 2 && (b[0] & 0xc0) == 0x80) {
		*value = (b[0] & 0x3fu) << 8 | b[1];
		return 2;
	}
	if (len >= 4 && (b[0] & 0xe0) == 0xc0) {
		*value = (b[0] & 0x1fu) << 24 | (u32)b[1] << 16 | (u32)b[2] << 8 | b[3];
		return 4;
	}
	return -EINVAL;
}

/*
 * Bit 0 is the sign bit; together with the other bits it is a two's complement number of 7, 14 or
 * 29 bits.
 */
int metadata_sint(const u8 *b, size_t len, s32 *value)
{
	static const u8 bits[] = { [1] = 6, [2] = 13, [4] = 28 };
	u32 v;
	int n = metadata_uint(b, len, &v);

	if (n > 0)
		*value = v & 1 ? (s32)(v >> 1) - (s32)(1u << bits[n]) : (s32)(v >> 1);
	return n;
}
