/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The text of a generated file: the URL of its map, and what stands before a place. */

#include <stddef.h>

#include "../../core/types.h"

struct generated_text {
	char *bytes; /* UTF-8; NULL: none */
	size_t len;
};

/* Reads a file of at most 64 MiB; @fd stays open. 0 or a negative errno. */
int generated_text_read(struct generated_text *t, int fd);
void generated_text_deinit(struct generated_text *t);

/**
 * generated_text_before() - the text before a place in its line
 * @line, @column:	from 1, columns in UTF-16 units
 * @out:	up to @len characters; each that is not ASCII is 0x80
 *
 * Return: how many, or -ENOENT when there is no such place.
 */
int generated_text_before(const struct generated_text *t, u32 line, u32 column, char *out,
			  size_t len);
