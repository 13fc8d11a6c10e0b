/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Reads the text of a generated file: the URL of its source map, and the text before a position. */

#include <stddef.h>

#include "../../core/types.h"

struct generated_text {
	char *bytes; /* UTF-8; NULL: empty */
	size_t len;
};

/* Reads a file of at most 64 MiB and leaves @fd open. Returns 0 or a negative errno. */
int generated_text_read(struct generated_text *t, int fd);
void generated_text_deinit(struct generated_text *t);

/**
 * generated_text_before() - get the text that precedes a position in its line
 * @line, @column: from 1, columns in UTF-16 units
 * @out:	receives up to @len characters; non-ASCII characters are replaced by 0x80
 *
 * Return: the number of characters, or -ENOENT if the text has no such position.
 */
int generated_text_before(const struct generated_text *t, u32 line, u32 column, char *out,
			  size_t len);
