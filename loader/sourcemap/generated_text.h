/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Reads the text of a generated file: the URL of its source map, and the text before a position. */

#include <stdbool.h>
#include <stddef.h>

#include "../../core/types.h"

struct generated_text {
	char *bytes; /* UTF-8; NULL: empty */
	size_t len;
};

#define GENERATED_TEXT_MAX_LEN (64ll << 20)

/*
 * Reads a file of at most @max_len bytes and leaves @fd open. Returns 0, -EFBIG or another negative
 * errno.
 */
int generated_text_read(struct generated_text *t, int fd, s64 max_len);
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

/*
 * Whether Node.js translates files with this name when it loads them. The translation of TypeScript
 * may only replace types by spaces.
 */
bool generated_text_is_translated(const char *file);

/**
 * generated_text_has_lines() - compare the lines of a file with those of a script
 * @starts:	offsets of the script's @n lines, in UTF-16 units
 * @len:	length of the script, in UTF-16 units
 *
 * Return: whether each line of the file is at the same place in the script, and has the same
 * length. The script may have more lines at its end.
 */
bool generated_text_has_lines(const struct generated_text *t, const u32 *starts, u32 n, u32 len);
