/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs one group of cmocka tests and prints the result in the last line:
 *
 *	static const struct CMUnitTest tests[] = { cmocka_unit_test(...), };
 *
 *	int main(void)
 *	{
 *		return CHECK_RUN(tests);
 *	}
 *
 * A test that cannot run here prints the reason with check_cannot_run() instead of that line; the
 * harness counts it as skipped.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* The exit status of a skipped test. */
#define CHECK_EXIT_SKIP 77

static inline int check_run(const char *group, const struct CMUnitTest *tests, size_t n)
{
	int failed = _cmocka_run_group_tests(group, tests, n, NULL, NULL);

	fflush(NULL);
	printf("%zu passed, %d failed\n", n - (size_t)failed, failed);
	return failed != 0;
}

static inline int check_cannot_run(const char *why)
{
	printf("cannot run here: %s\n", why);
	return CHECK_EXIT_SKIP;
}

#define CHECK_RUN(tests) check_run(__FILE_NAME__, tests, sizeof(tests) / sizeof((tests)[0]))
