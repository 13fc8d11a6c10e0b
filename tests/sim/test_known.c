// SPDX-License-Identifier: BSD-2-Clause

/* Tests lists of known misses: which misses they allow, and invalid lists. */

#include "../../sim/sweep/known.h"
#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/unspool-known-XXXXXX", path[64], list[80];

static struct sim_function functions[] = {
	{ "main", 0x1000, 0x100 },
	{ "twin", 0x2000, 0x100 },
	{ "a b#\n\xff", 0x3000, 0x100 },
	{ "twin", 0x4000, 0x100 },
};
static const struct sim_case arm = {
	.name = (char *)"x", .arch = &sim_arch_arm64, .functions = functions, .n_functions = 4
};
static const struct sim_case x86 = {
	.name = (char *)"x", .arch = &sim_arch_x86_64, .functions = functions, .n_functions = 4
};

static struct sweep_result result_of(struct sweep_miss *misses, u32 n)
{
	return (struct sweep_result){ .misses = misses, .n_misses = n };
}

static void write_text(const char *text)
{
	FILE *f = fopen(list, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void assert_list(const char *want)
{
	char text[4096] = "";
	FILE *f = fopen(list, "r");

	assert_non_null(f);
	fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	assert_non_null(strstr(text, "# ARCH PLACE"));
	assert_string_equal(strchr(strchr(text, '\n') + 1, '\n') + 1, want);
}

static struct known *load(void)
{
	struct sim_error error = { "" };
	struct known *k;

	assert_int_equal(known_load(path, &k, &error), 0);
	return k;
}

/* Applies the list @text to one miss; returns the number of new addresses. */
static u32 n_new(const char *text, const struct sim_case *c, struct sweep_miss miss)
{
	struct sweep_result r = result_of(&miss, 1);
	struct known *k;
	u32 n;

	write_text(text);
	k = load();
	n = known_apply(k, c, &r);
	assert_int_equal(miss.is_known, !n);
	known_free(&k);
	return n;
}

static void only_misses_in_the_list_of_known_misses_are_accepted(void **state)
{
	const struct sweep_miss caller = { .pc = 0x1004, .n = 3, .n_lost_caller = 3 };
	const struct sweep_miss other = { .pc = 0x1004, .n = 3, .n_lost_caller = 2 };
	const struct {
		const char *text;
		const struct sim_case *c;
		struct sweep_miss miss;
		u32 n_new;
	} rows[] = {
		{ "arm64 main+0x4 3 caller nop\n", &arm, caller, 0 },
		{ "arm64 main+0x4 3 caller", &arm, caller, 0 },
		{ "# x\n\narm64 main+0x4 4 caller\n", &arm, caller, 0 },
		{ "arm64 main+0x4 3 other nop\n", &arm, caller, 0 },
		{ "arm64 main+0x4 3 other nop\n", &arm, other, 0 },
		{ "arm64 main+0x4 3 caller nop\n", &arm, other, 1 }, /* another kind of miss */
		{ "arm64 main+0x4 2 caller nop\n", &arm, caller, 1 }, /* more often than listed */
		{ "arm64 main+0x8 3 caller nop\n", &arm, caller, 1 },
		{ "x86_64 main+0x4 3 caller nop\n", &arm, caller, 1 },
		{ "arm64 main+0x4 3 caller nop\n", &x86, caller, 1 },
		{ "", &arm, caller, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(n_new(rows[i].text, rows[i].c, rows[i].miss), rows[i].n_new);
}

static void a_case_has_no_known_misses_if_the_file_of_known_misses_does_not_exist(void **state)
{
	(void)state;
	unlink(list);
	assert_null(load());
}

static void an_update_of_known_misses_sorts_them_and_keeps_other_architectures(void **state)
{
	struct sweep_miss misses[] = { { .pc = 0x1004, .n = 2, .n_lost_caller = 2 },
				       { .pc = 0x1000, .n = 5, .n_lost_caller = 4 } };
	struct sweep_result r = result_of(misses, 2);
	struct known *k;

	(void)state;
	write_text("x86_64 main+0x1 7 other push rbp\narm64 gone+0 1 caller nop\n");
	k = load();
	assert_int_equal(known_update(k, path, &arm, &r, NULL), 0);
	known_free(&k);
	assert_list("arm64 main+0 5 other (bad)\narm64 main+0x4 2 caller (bad)\n"
		    "x86_64 main+0x1 7 other push rbp\n");
	k = load();
	assert_int_equal(known_apply(k, &arm, &r), 0);
	known_free(&k);
}

static void an_update_without_misses_removes_the_file_of_known_misses(void **state)
{
	struct sweep_result none = result_of(NULL, 0);
	struct known *k;

	(void)state;
	write_text("arm64 main+0 1 caller\n");
	k = load();
	assert_int_equal(known_update(k, path, &arm, &none, NULL), 0);
	known_free(&k);
	assert_int_equal(access(list, F_OK), -1);
	assert_int_equal(known_update(NULL, path, &arm, &none, NULL), 0);
}

static void each_address_in_the_list_of_known_misses_is_unambiguous(void **state)
{
	struct sweep_miss misses[] = { { .pc = 0x2004, .n = 1 },
				       { .pc = 0x3004, .n = 1 },
				       { .pc = 0x4004, .n = 1 },
				       { .pc = 0x9000, .n = 1 } };
	struct sweep_result r = result_of(misses, 4);
	struct known *k;

	(void)state;
	assert_int_equal(known_update(NULL, path, &arm, &r, NULL), 0);
	assert_list("arm64 0x2004 1 other (bad)\narm64 0x4004 1 other (bad)\n"
		    "arm64 0x9000 1 other (bad)\narm64 a\\x20b#\\x0a\\xff+0x4 1 other (bad)\n");
	k = load();
	assert_int_equal(known_apply(k, &arm, &r), 0);
	known_free(&k);
}

static void an_address_in_the_list_of_known_misses_is_reported_if_it_has_no_miss(void **state)
{
	struct sweep_miss miss = { .pc = 0x1004, .n = 1, .n_lost_caller = 1 };
	struct sweep_result r = result_of(&miss, 1);
	struct known *k;
	u32 at = 0;

	(void)state;
	write_text("arm64 main+0x4 1 caller\narm64 main+0x8 1 caller\nx86_64 main+0x1 1 caller\n");
	k = load();
	known_apply(k, &arm, &r);
	assert_string_equal(known_gone(k, arm.arch, &at), "main+0x8");
	assert_null(known_gone(k, arm.arch, &at));
	known_free(&k);
}

static void an_invalid_list_of_known_misses_is_rejected_with_the_line_number(void **state)
{
	static const char *const texts[] = {
		"arm64 main+0x4 3 callers nop\n",
		"riscv main+0x4 3 caller\n",
		"arm64 main+0x4\n",
		"arm64  3 caller\n",
		"arm64 main 0 caller\n",
		"arm64 main -1 caller\n",
		"arm64 main 3x caller\n",
		"hello\n",
		"arm64 main 99999999999999999999 caller\n",
	};
	struct sim_error error;
	struct known *k;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_text(texts[i]);
		assert_int_equal(known_load(path, &k, &error), -EINVAL);
		assert_non_null(strstr(error.text, ".misses:1: expected ARCH PLACE"));
		assert_null(k);
	}
}

static void a_truncated_list_of_known_misses_is_read_as_a_shorter_list_or_rejected(void **state)
{
	static const char whole[] = "arm64 main+0x4 13 caller stp\nx86_64 main+0x1 7 other push\n";
	struct sim_error error;
	struct known *k;
	u32 n_lists = 0;

	(void)state;
	for (size_t len = 0; len < sizeof(whole); len++) {
		char text[sizeof(whole)];
		int err;

		memcpy(text, whole, len);
		text[len] = '\0';
		write_text(text);
		err = known_load(path, &k, &error);
		assert_true(err == 0 || err == -EINVAL);
		n_lists += !err;
		known_free(&k);
	}
	assert_true(n_lists > 2 && n_lists < sizeof(whole) - 2);
}

static void a_list_of_known_misses_that_is_not_text_is_rejected_without_blocking(void **state)
{
	struct sim_error error;
	struct known *k;
	FILE *f;

	(void)state;
	unlink(list);
	assert_int_equal(mkfifo(list, 0600), 0);
	assert_int_equal(known_load(path, &k, &error), -EINVAL);
	unlink(list);
	assert_int_equal(mkdir(list, 0700), 0);
	assert_int_equal(known_load(path, &k, &error), -EINVAL);
	rmdir(list);
	f = fopen(list, "w");
	fwrite("arm64 main 1 caller\n\0x", 1, 22, f);
	fclose(f);
	assert_int_equal(known_load(path, &k, &error), -EINVAL);
	assert_int_equal(truncate(list, 1L << 40), 0);
	assert_int_equal(known_load(path, &k, &error), -EFBIG);
	unlink(list);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(only_misses_in_the_list_of_known_misses_are_accepted),
	cmocka_unit_test(a_case_has_no_known_misses_if_the_file_of_known_misses_does_not_exist),
	cmocka_unit_test(an_update_of_known_misses_sorts_them_and_keeps_other_architectures),
	cmocka_unit_test(an_update_without_misses_removes_the_file_of_known_misses),
	cmocka_unit_test(each_address_in_the_list_of_known_misses_is_unambiguous),
	cmocka_unit_test(an_address_in_the_list_of_known_misses_is_reported_if_it_has_no_miss),
	cmocka_unit_test(an_invalid_list_of_known_misses_is_rejected_with_the_line_number),
	cmocka_unit_test(a_truncated_list_of_known_misses_is_read_as_a_shorter_list_or_rejected),
	cmocka_unit_test(a_list_of_known_misses_that_is_not_text_is_rejected_without_blocking),
};

int main(void)
{
	int failed;

	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/case", folder);
	snprintf(list, sizeof(list), "%s.misses", path);
	failed = CHECK_RUN(tests);
	unlink(list);
	rmdir(folder);
	return failed;
}
