// SPDX-License-Identifier: BSD-2-Clause

/* Tests the parsing of valid and invalid sizes on the command line. */

#include <errno.h>

#include "../../loader/cli/size.h"
#include "../check.h"

#define MAX (1ull << 30)
#define UNTOUCHED 0x5a5aULL

static const struct row {
	const char *text;
	int result;
	u64 bytes;
} rows[] = {
	{ "0", 0, 0 },
	{ "4096", 0, 4096 },
	{ "0010", 0, 10 },
	{ "512k", 0, 512 << 10 },
	{ "16M", 0, 16 << 20 },
	{ "1G", 0, 1 << 30 },
	{ "1024M", 0, 1 << 30 },
	{ "1073741824", 0, 1 << 30 },
	{ "1073741825", -ERANGE, 0 },
	{ "1025M", -ERANGE, 0 },
	{ "2G", -ERANGE, 0 },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "99999999999999999999999999G", -ERANGE, 0 },
	{ "17179869184G", -ERANGE, 0 }, /* 2^64 bytes */
	{ "", -EINVAL, 0 },
	{ "M", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 M", -EINVAL, 0 },
	{ "1.5M", -EINVAL, 0 },
	{ "1m", -EINVAL, 0 },
	{ "1K", -EINVAL, 0 },
	{ "1MB", -EINVAL, 0 },
	{ "1MM", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "1T", -EINVAL, 0 },
};

static void each_text_of_a_size_is_either_parsed_or_rejected(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		u64 bytes = UNTOUCHED;
		int result = size_parse(rows[i].text, MAX, &bytes);

		if (result != rows[i].result ||
		    bytes != (rows[i].result ? UNTOUCHED : rows[i].bytes))
			fail_msg("'%s': %d, %llu", rows[i].text, result, bytes);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_text_of_a_size_is_either_parsed_or_rejected),
	};

	return CHECK_RUN(tests);
}
