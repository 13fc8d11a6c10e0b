/* SPDX-License-Identifier: BSD-2-Clause */

/* Parses sizes of memory on the command line: digits and a unit. No sign, no fraction. */

#include <errno.h>
#include <string.h>

#include "size.h"

int size_parse(const char *text, u64 max, u64 *bytes)
{
	static const char units[] = "kMG";
	const char *unit, *p = text;
	u64 value = 0, scale = 1;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (value <= max) /* an overflow must not wrap around into the valid range */
			value = value * 10 + (u64)(*p - '0');
	}
	if (p == text)
		return -EINVAL;
	if (*p) {
		unit = strchr(units, *p);
		if (!unit || p[1])
			return -EINVAL;
		scale = 1024ull << 10 * (unit - units);
	}
	if (value > max / scale)
		return -ERANGE;
	*bytes = value * scale;
	return 0;
}
