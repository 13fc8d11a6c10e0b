/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Names come from hostile targets: an escape sequence in a process's name must not reach
 * the terminal, and a right-to-left mark must not make one name look like another. Letters
 * of all scripts are printed unchanged.
 */

#include <stdio.h>
#include <string.h>

#include "utf8.h"
#include "term.h"

/*
 * Writes one character, escaped if necessary, or one invalid byte. Returns the number of bytes
 * consumed.
 */
static size_t show(const char *s, size_t left, char *piece, size_t size)
{
	u32 c;
	size_t len = utf8_decode(s, left, &c);

	if (c == UTF8_REPLACEMENT && (len != 3 || memcmp(s, "\xef\xbf\xbd", 3))) {
		snprintf(piece, size, "\\x%02x", (u8)s[0]);
		return 1;
	}
	if (!utf8_is_control(c))
		snprintf(piece, size, "%.*s", (int)len, s);
	else if (c == '\n' || c == '\t')
		snprintf(piece, size, "\\%c", c == '\n' ? 'n' : 't');
	else
		snprintf(piece, size, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
	return len;
}

const char *term_escape(const char *in, char *out, size_t size)
{
	size_t left = strlen(in), used = 0;

	while (left) {
		char piece[16];
		size_t len = show(in, left, piece, sizeof(piece)), n = strlen(piece);

		if (used + n >= size)
			break;
		memcpy(out + used, piece, n);
		used += n;
		in += len;
		left -= len;
	}
	out[used] = '\0';
	return out;
}
