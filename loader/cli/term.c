/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names come from hostile targets: an escape sequence in a process's name must
 * not reach the terminal, and a right-to-left mark must not make one name look
 * like another. Letters of all scripts stay as they are.
 */

#include <stdio.h>
#include <string.h>

#include "../../core/types.h"
#include "term.h"

/* Length of the UTF-8 sequence at @s and its code point; 0: not UTF-8 (RFC 3629). */
static size_t utf8_decode(const u8 *s, u32 *code)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	u32 c;

	if (!len || s[0] > 0xf4)
		return 0;
	c = len == 1 ? s[0] : s[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*code = c;
	return len;
}

/* Control (Cc), line separators, and what is Bidi_Control or invisible in Unicode 15. */
static bool is_harmful(u32 c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

const char *term_escape(const char *in, char *out, size_t size)
{
	const u8 *s = (const u8 *)in;
	size_t used = 0;

	while (*s) {
		char piece[12] = "";
		size_t len, n;
		u32 c = 0;

		len = utf8_decode(s, &c);
		if (!len)
			snprintf(piece, sizeof(piece), "\\x%02x", s[0]);
		else if (!is_harmful(c))
			memcpy(piece, s, len);
		else if (c == '\n' || c == '\t')
			snprintf(piece, sizeof(piece), "\\%c", c == '\n' ? 'n' : 't');
		else
			snprintf(piece, sizeof(piece), c < 0x100 ? "\\x%02x" : "\\u%04x", c);
		n = strlen(piece);
		if (used + n >= size)
			break;
		memcpy(out + used, piece, n);
		used += n;
		s += len ? len : 1;
	}
	out[used] = '\0';
	return out;
}
