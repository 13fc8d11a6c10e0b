/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

#include "../../core/types.h"

/**
 * source_name() - the name that a source gives the function at a place
 * @text:	JavaScript or TypeScript, UTF-8
 * @line, @column:	from 1, columns in UTF-16 units: where a source map has the function's start
 *
 * Maps have the start at its name, at `function` or `async`, or at its parameters:
 *
 *	|function NAME(x) {..}     |NAME(x) {..}     const NAME: Type = |(x) => ..
 *
 * Return: 0, or -ENOENT: no such form is there.
 */
int source_name(const char *text, size_t len, u32 line, u32 column, const char **name,
		size_t *name_len);
