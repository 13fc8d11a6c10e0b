/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/**
 * size_parse() - parse an amount of memory
 * @text:	"0", "4096", "512k", "16M", "1G"; no unit means bytes
 * @max:	bytes
 * @bytes:	written only on success
 *
 * Return: 0, -EINVAL (not an amount), -ERANGE (above @max).
 */
int size_parse(const char *text, u64 max, u64 *bytes);
