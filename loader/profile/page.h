/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Reads the record in an HTML page that loader/out/html.c wrote. */

#include <stdbool.h>
#include <sys/types.h>

#include "../../core/types.h"

enum page_state { PAGE_SEARCH, PAGE_RECORD, PAGE_END };

/* A decoder that is fed with the page's bytes. All zero at the start of a page. */
struct page {
	enum page_state state;
	size_t n_searched; /* bytes before the record */
	u32 n_matched; /* bytes of the text before the record that were found so far */
	u32 bits, n_bits; /* decoded bits that are not yet a byte */
	u32 n_digits; /* digits of the present group of four */
	bool is_padded;
};

/* Return: whether a file that begins with these bytes is an HTML page. */
bool page_is_html(const u8 *bytes, size_t len);

/**
 * page_decode() - decode a part of the page
 * @bytes:	the next @len bytes of the page; at the end of the file, @len is 0
 * @out:	at least @len bytes; may be @bytes
 *
 * Return: number of bytes of the record in @out; -ENOMSG if the page has no record, -EBADMSG
 * if the record is not base64, -ENODATA if the page ends in the record.
 */
ssize_t page_decode(struct page *p, const u8 *bytes, size_t len, u8 *out);
