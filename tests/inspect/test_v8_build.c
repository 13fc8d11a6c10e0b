/* SPDX-License-Identifier: BSD-2-Clause */

/* Builds of V8 without metadata: how they are recognized, and how the reason is reported. */

#include <errno.h>

#include "../../inspect/v8/v8.h"
#include "../check.h"

static int open_build(struct v8_build **b, const char *path)
{
	struct elf_file *f;
	int r;

	assert_int_equal(elf_file_open(&f, path), 0);
	r = v8_build_new(b, f);
	elf_file_free(&f);
	return r;
}

static void v8_without_metadata_is_reported_with_version_and_reason(void **state)
{
	static const struct {
		const char *path, *v8, *why;
	} rows[] = {
		{ FAKE_DENO, "V8 15.0.245.2", "Deno, built without V8 metadata" },
		{ FAKE_ELECTRON, "V8 14.8.178.31", "Electron, built without V8 metadata" },
		{ FAKE_BARE, "V8 14.8.178.31", "built without V8 metadata" },
		{ FAKE_VERSIONED, "V8 14.8.178.31", "built without V8 metadata" },
	};
	struct v8_build *b;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(open_build(&b, rows[i].path), -ENOTSUP);
		assert_string_equal(v8_build_facts(b).runtime, rows[i].v8);
		assert_string_equal(v8_build_facts(b).why, rows[i].why);
		assert_null(v8_build_facts(b).doubt);
		v8_build_free(&b);
	}
}

/* The BPF program does not use a build whose shared_off is 0. */
static void build_info_is_usable_for_the_walk_if_v8_has_no_metadata(void **state)
{
	struct v8_build *b;

	(void)state;
	assert_int_equal(open_build(&b, FAKE_DENO), -ENOTSUP);
	assert_int_not_equal(v8_build_facts(b).info->shared_off, 0);
	v8_build_free(&b);
}

static void file_that_only_resembles_v8_is_not_recognized_as_v8(void **state)
{
	static const char *const paths[] = { FAKE_OTHER, FAKE_LONGER, FAKE_SHORT,
					     FAKE_LARGE, FAKE_EMPTY,  FAKE_ELECTRONIC };
	struct v8_build *b = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(open_build(&b, paths[i]), -ENOENT);
	assert_null(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v8_without_metadata_is_reported_with_version_and_reason),
		cmocka_unit_test(build_info_is_usable_for_the_walk_if_v8_has_no_metadata),
		cmocka_unit_test(file_that_only_resembles_v8_is_not_recognized_as_v8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
