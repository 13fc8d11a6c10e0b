/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/**
 * duration_parse() - parse a time
 * @text:	"30", "30s", "1.5s", "500ms", "2m", "1h"; no unit means seconds
 * @ns:		nanoseconds, 1 ms to 365 days; written only on success
 *
 * Return: 0, -EINVAL (not a time), -ERANGE (below 1 ms or above 365 days).
 */
int duration_parse(const char *text, u64 *ns);
