// SPDX-License-Identifier: BSD-2-Clause

/* Tests the recognition of interpreters by file names. */

#include <string.h>

#include "../../inspect/util/interpreters.h"
#include "../check.h"

static void interpreters_are_recognized_with_their_version(void **state)
{
	static const struct {
		const char *file, *name;
	} rows[] = {
		{ "python3.12", "Python 3.12" },
		{ "libpython3.13.so.1.0", "Python 3.13" },
		{ "python3", "Python 3" },
		{ "java", "Java" },
		{ "libjvm.so", "Java" },
		{ "bun", "Bun" },
		{ "ruby3.1", "Ruby 3.1" },
		{ "libruby-3.1.so.3.1.2", "Ruby 3.1" },
		{ "php8.2", "PHP 8.2" },
		{ "php-fpm8.2", "PHP 8.2" },
		{ "luajit-2.1.0-beta3", "LuaJIT 2.1.0" },
		{ "libluajit-5.1.so.2", "LuaJIT 5.1" },
		{ "lua5.4", "Lua 5.4" },
		{ "perl", "Perl" },
	};
	struct interpreter found;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(interpreter_find(rows[i].file, &found));
		assert_string_equal(found.name, rows[i].name);
	}
}

static void files_with_similar_names_are_not_interpreters(void **state)
{
	static const char *const files[] = {
		"",
		"python-config",
		"pythonista",
		"javax",
		"libjvm.so.1",
		"bundle",
		"rubygems",
		"phpunit",
		"perls",
		"libpythonic",
		"java.base",
		"luac",
		"python99999999999999999999",
	};
	struct interpreter found = { .name = "unchanged" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_false(interpreter_find(files[i], &found));
	assert_string_equal(found.name, "unchanged");
}

static void only_python_3_12_and_newer_can_write_a_perf_map(void **state)
{
	struct interpreter found;

	(void)state;
	assert_true(interpreter_find("python3.12", &found));
	assert_true(found.has_perf_map && strstr(found.advice, "start it with -X perf"));
	assert_true(interpreter_find("python3.9", &found));
	assert_true(!found.has_perf_map && strstr(found.advice, "ignore -X perf"));
	assert_true(interpreter_find("python2.7", &found));
	assert_false(found.has_perf_map);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(interpreters_are_recognized_with_their_version),
		cmocka_unit_test(files_with_similar_names_are_not_interpreters),
		cmocka_unit_test(only_python_3_12_and_newer_can_write_a_perf_map),
	};

	return CHECK_RUN(tests);
}
