/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Parses times on the command line: digits, then optionally a point with up to nine
 * digits, then optionally a unit. No sign, no exponent, no white space, no locale.
 */

#include <errno.h>
#include <string.h>

#include "duration.h"

#include "../../inspect/util/array.h"
#include "../../inspect/util/clock.h"

#define NS_PER_MS 1000000ULL
#define NS_PER_MINUTE (60 * NS_PER_S)
#define NS_PER_HOUR (60 * NS_PER_MINUTE)
#define MIN_NS NS_PER_MS
#define MAX_NS (365 * 24 * NS_PER_HOUR)
#define MAX_FRACTION_DIGITS 9

static const struct unit {
	const char *suffix;
	u64 ns;
} units[] = {
	{ "", NS_PER_S },	{ "ms", NS_PER_MS },  { "s", NS_PER_S },
	{ "m", NS_PER_MINUTE }, { "h", NS_PER_HOUR },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const struct unit *unit_find(const char *suffix)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!strcmp(units[i].suffix, suffix))
			return &units[i];
	}
	return NULL;
}

int duration_parse(const char *text, u64 *ns)
{
	const struct unit *unit;
	u64 fraction = 0, scale = 1, whole = 0, sum;
	const char *p = text;

	if (!is_digit(*p))
		return -EINVAL;
	for (; is_digit(*p); p++) {
		if (whole <= MAX_NS) /* an overflow must not wrap around into the valid range */
			whole = whole * 10 + (u64)(*p - '0');
	}
	if (*p == '.') {
		if (!is_digit(*++p))
			return -EINVAL;
		for (int n = 0; is_digit(*p); p++, n++) {
			if (n == MAX_FRACTION_DIGITS)
				return -EINVAL;
			fraction = fraction * 10 + (u64)(*p - '0');
			scale *= 10;
		}
	}
	unit = unit_find(p);
	if (!unit)
		return -EINVAL;
	if (whole > MAX_NS / unit->ns)
		return -ERANGE;
	sum = whole * unit->ns + (u64)((unsigned __int128)fraction * unit->ns / scale);
	if (sum < MIN_NS || sum > MAX_NS)
		return -ERANGE;
	*ns = sum;
	return 0;
}
