/* SPDX-License-Identifier: BSD-2-Clause */
#include "page.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* The text that precedes the record. Its first byte occurs in it only once. */
static const char before[] =
	"<script type=\"application/json\" id=\"unspool-record\">\n{\"record\":\"";

#define MAX_BEFORE (4u << 20) /* no page has so many bytes before its record */

bool page_is_html(const u8 *bytes, size_t len)
{
	static const char *const starts[] = { "<!do", "<htm" };

	while (len && (*bytes == ' ' || *bytes == '\n' || *bytes == '\r' || *bytes == '\t')) {
		bytes++;
		len--;
	}
	for (u32 i = 0; i < 2; i++)
		if (len >= 4 && !strncasecmp((const char *)bytes, starts[i], 4))
			return true;
	return false;
}

/* Compares the next byte with the text before the record. */
static int search(struct page *p, u8 c)
{
	if (c == (u8)before[p->n_matched])
		p->n_matched++;
	else
		p->n_matched = c == (u8)before[0];
	if (p->n_matched == sizeof(before) - 1)
		p->state = PAGE_RECORD;
	return ++p->n_searched > MAX_BEFORE ? -ENOMSG : 0;
}

/* Returns the value of a digit, or -1. */
static int digit(u8 c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes a character of the record. Returns the number of bytes written, 0 or 1. */
static int decode(struct page *p, u8 c, u8 *out)
{
	int value = digit(c);

	if (c == '"') {
		p->state = PAGE_END;
		return p->n_digits % 4 ? -EBADMSG : 0;
	}
	p->n_digits++;
	if (c == '=' && p->n_digits % 4 != 1 && p->n_digits % 4 != 2) {
		p->is_padded = true;
		return 0;
	}
	if (value < 0 || p->is_padded)
		return -EBADMSG;
	p->bits = p->bits << 6 | (u32)value;
	p->n_bits += 6;
	if (p->n_bits < 8)
		return 0;
	p->n_bits -= 8;
	*out = (u8)(p->bits >> p->n_bits);
	return 1;
}

ssize_t page_decode(struct page *p, const u8 *bytes, size_t len, u8 *out)
{
	ssize_t n = 0;

	if (!len && p->state != PAGE_END)
		return p->state == PAGE_SEARCH ? -ENOMSG : -ENODATA;
	for (size_t i = 0; i < len && p->state != PAGE_END; i++) {
		int r = p->state == PAGE_SEARCH ? search(p, bytes[i])
						: decode(p, bytes[i], &out[n]);

		if (r < 0)
			return r;
		n += r;
	}
	return n;
}
