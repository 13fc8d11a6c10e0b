/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests the parsing of valid and invalid times on the command line. */

#include <errno.h>

#include "../../loader/cli/duration.h"
#include "../check.h"

#define MS 1000000ULL
#define S 1000000000ULL
#define UNTOUCHED 0x5a5aULL

static const struct row {
	const char *text;
	int result;
	u64 ns;
} rows[] = {
	{ "30", 0, 30 * S },
	{ "30s", 0, 30 * S },
	{ "2m", 0, 120 * S },
	{ "1h", 0, 3600 * S },
	{ "500ms", 0, 500 * MS },
	{ "1.5s", 0, 1500 * MS },
	{ "0.25", 0, 250 * MS },
	{ "0.001", 0, MS },
	{ "1ms", 0, MS },
	{ "0.000000999h", 0, 3596400 },
	{ "0010", 0, 10 * S },
	{ "8760h", 0, 365 * 24 * 3600 * S },
	{ "0", -ERANGE, 0 },
	{ "0ms", -ERANGE, 0 },
	{ "0.999999ms", -ERANGE, 0 },
	{ "8760.1h", -ERANGE, 0 },
	{ "8761h", -ERANGE, 0 },
	{ "99999999999999999999999999999999h", -ERANGE, 0 },
	{ "18446744073709551617", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ "s", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 s", -EINVAL, 0 },
	{ "1.", -EINVAL, 0 },
	{ ".5", -EINVAL, 0 },
	{ "1e3", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "1d", -EINVAL, 0 },
	{ "1S", -EINVAL, 0 },
	{ "1s1", -EINVAL, 0 },
	{ "1,5", -EINVAL, 0 },
	{ "0.1234567890", -EINVAL, 0 },
};

static void each_text_of_a_duration_is_either_parsed_or_rejected(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		u64 ns = UNTOUCHED;
		int result = duration_parse(rows[i].text, &ns);

		if (result != rows[i].result || ns != (result ? UNTOUCHED : rows[i].ns))
			fail_msg("'%s': %d, %llu ns", rows[i].text, result, ns);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_text_of_a_duration_is_either_parsed_or_rejected),
	};

	return CHECK_RUN(tests);
}
