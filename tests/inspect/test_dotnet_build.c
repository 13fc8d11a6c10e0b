/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Recognition of the runtime in files that export the symbols of CoreCLR and are built from
 * fake_coreclr.c.
 */

#include <errno.h>
#include <string.h>

#include "../../inspect/dotnet/dotnet_build.h"
#include "../check.h"

static const struct {
	const char *path;
	int result;
	const char *runtime, *why;
} files[] = {
	{ FAKE_CORECLR_dac10, 0, ".NET 10.0.14", NULL },
	{ FAKE_CORECLR_dac12, -ENOTSUP, ".NET 12.1.3", "only .NET 6 to 10 are supported" },
	{ FAKE_CORECLR_descriptor11, -ENOTSUP, ".NET 11.0.0", "only .NET 6 to 10 are supported" },
	{ FAKE_CORECLR_unversioned, -ENOTSUP, ".NET", "runtime version unknown" },
	{ FAKE_CORECLR_nativeaot, -ENOENT, NULL, NULL },
	{ FAKE_CORECLR_none, -ENOENT, NULL, NULL },
};

static void runtime_is_recognized_by_its_exports_and_version_string(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct dotnet_build *build = NULL;
		struct elf_file *f;

		assert_int_equal(elf_file_open(&f, files[i].path), 0);
		assert_int_equal(dotnet_build_new(&build, f), files[i].result);
		elf_file_free(&f);
		assert_true(!build == !files[i].runtime);
		if (!build)
			continue;
		assert_string_equal(dotnet_build_runtime(build), files[i].runtime);
		if (files[i].why)
			assert_string_equal(dotnet_build_why(build), files[i].why);
		else
			assert_null(dotnet_build_why(build));
		dotnet_build_free(&build);
	}
}

static void runtime_without_a_garbage_collector_has_no_ranges_of_collector_code(void **state)
{
	struct dotnet_build build = {};
	struct elf_file *f;

	(void)state;
	assert_int_equal(elf_file_open(&f, FAKE_CORECLR_dac10), 0);
	assert_true(dotnet_build_find_gc(&build, f) < 0);
	assert_int_equal(build.n_gc, 0);
	assert_false(dotnet_build_is_gc(&build, 0));
	elf_file_free(&f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(runtime_is_recognized_by_its_exports_and_version_string),
	cmocka_unit_test(runtime_without_a_garbage_collector_has_no_ranges_of_collector_code),
};

int main(void)
{
	return CHECK_RUN(tests);
}
