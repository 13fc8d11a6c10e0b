/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

#include "../../core/types.h"

/**
 * source_name() - find a function's name in its source
 * @text:	JavaScript or TypeScript, UTF-8
 * @line, @column:	from 1, columns in UTF-16 units: the function's start by the source map
 *
 * Depending on the map, the start is at the name, at `function` or `async`, or at the parameters:
 *
 *	|function NAME(x) {..}     |NAME(x) {..}     const NAME: Type = |(x) => ..
 *
 * Return: 0, or -ENOENT if the text at @line, @column has no such form.
 */
int source_name(const char *text, size_t len, u32 line, u32 column, const char **name,
		size_t *name_len);
