// SPDX-License-Identifier: BSD-2-Clause

/* Tests names of pm2, which are read from environments that a target can change. */

#include <stdlib.h>
#include <string.h>

#include "../../loader/targets/pm2.h"
#include "../check.h"

#define ENV(...) .environ = __VA_ARGS__ "\0", .len = sizeof(__VA_ARGS__ "\0") - 1

static void the_name_is_found_in_both_modes_of_pm2(void **state)
{
	static const struct {
		const char *environ;
		size_t len;
		const char *name;
	} rows[] = {
		{ ENV("A=1\0pm2_env={\"pm_id\":0,\"name\":\"shop\"}\0B=2"), "shop" },
		{ ENV("name=shop\0pm_id=0"), "shop" },
		{ ENV("pm_id=0\0name=my shop"), "my shop" },
		{ ENV("name=someone"), "" },
		{ ENV("pm_id=0"), "" },
		{ ENV("pm2_env={\"name\":7}"), "" },
		{ ENV("pm2_env={\"name\":\"shop\""), "" },
		{ ENV("pm2_env=[]\0name=shop\0pm_id=0"), "" },
		{ ENV("pm2_environment={\"name\":\"shop\"}"), "" },
		{ ENV("names=shop\0pm_id=0"), "" },
		{ "", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[PM2_NAME_LEN] = "old";

		pm2_name_parse(rows[i].environ, rows[i].len, name);
		assert_string_equal(name, rows[i].name);
	}
}

static void a_name_that_is_too_long_is_ignored(void **state)
{
	char environ[] = "pm_id=0\0name=", text[PM2_NAME_LEN + sizeof(environ)], name[PM2_NAME_LEN];
	size_t len = sizeof(environ) - 1;

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, environ, len);
	pm2_name_parse(text, len + PM2_NAME_LEN - 1, name);
	assert_int_equal(strlen(name), PM2_NAME_LEN - 1);
	pm2_name_parse(text, len + PM2_NAME_LEN, name);
	assert_string_equal(name, "");
}

static void a_truncated_environment_is_read_within_bounds(void **state)
{
	static const char text[] = "A=1\0pm2_env={\"name\":\"shop\"}\0name=shop\0pm_id=0";

	(void)state;
	for (size_t len = 0; len <= sizeof(text); len++) {
		char *cut = malloc(len + 1), name[PM2_NAME_LEN];

		memcpy(cut, text, len);
		pm2_name_parse(cut, len, name);
		assert_true(!name[0] || !strcmp(name, "shop"));
		free(cut);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_name_is_found_in_both_modes_of_pm2),
	cmocka_unit_test(a_name_that_is_too_long_is_ignored),
	cmocka_unit_test(a_truncated_environment_is_read_within_bounds),
};

int main(void)
{
	return CHECK_RUN(tests);
}
