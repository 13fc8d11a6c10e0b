/* SPDX-License-Identifier: BSD-2-Clause */
#include "utf8.h"

/*
 * Well-formed sequences, Unicode 15.0, table 3-7. The range of the second byte depends on the
 * first byte:
 *
 *	first    second   rest
 *	c2..df   80..bf
 *	e0       a0..bf   80..bf          below: overlong
 *	e1..ef   80..bf   80..bf          but ed: 80..9f, above: surrogates
 *	f0       90..bf   80..bf 80..bf   below: overlong
 *	f1..f3   80..bf   80..bf 80..bf
 *	f4       80..8f   80..bf 80..bf   above: more than U+10FFFF
 */
static size_t sequence_len(u8 first)
{
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	return 1;
}

static bool second_is_good(u8 first, u8 second)
{
	u8 low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	u8 high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	return second >= low && second <= high;
}

size_t utf8_decode(const char *s, size_t len, u32 *cp)
{
	const u8 *b = (const u8 *)s;
	size_t n = sequence_len(b[0]);

	if (n == 1) {
		*cp = b[0] < 0x80 ? b[0] : UTF8_REPLACEMENT;
		return 1;
	}

	u32 value = b[0] & (0x7f >> n);

	for (size_t i = 1; i < n; i++) {
		bool good = i < len && (i == 1 ? second_is_good(b[0], b[1]) : b[i] >> 6 == 2);

		if (!good) {
			*cp = UTF8_REPLACEMENT;
			return i;
		}
		value = value << 6 | (b[i] & 0x3f);
	}
	*cp = value;
	return n;
}

size_t utf8_put(u32 cp, char *out)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}

	size_t n = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--, cp >>= 6)
		out[i] = (char)(0x80 | (cp & 0x3f));
	out[0] = (char)(0xf00u >> n | cp);
	return n;
}

bool utf8_is_control(u32 cp)
{
	bool c0_or_c1 = cp < 0x20 || (cp >= 0x7f && cp <= 0x9f);
	bool separator = cp == 0x2028 || cp == 0x2029;
	bool direction = cp == 0x061c || cp == 0x200e || cp == 0x200f ||
			 (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);

	return c0_or_c1 || separator || direction;
}
