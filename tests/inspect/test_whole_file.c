// SPDX-License-Identifier: BSD-2-Clause

/* Output files must appear complete or not at all. */

#include "../../inspect/util/whole_file.h"
#include "../../core/types.h"
#include "../check.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/unspool-whole-XXXXXX", path[64];

static int write_it(const char *text, bool is_good)
{
	struct whole_file w;
	int err = whole_file_open(path, false, &w);

	if (err)
		return err;
	fputs(text, w.f);
	return whole_file_close(&w, is_good);
}

static void assert_text(const char *want)
{
	char *text;

	assert_int_equal(whole_file_read(path, 100, &text), 0);
	assert_string_equal(text, want);
	free(text);
}

static u32 n_files(void)
{
	DIR *d = opendir(folder);
	u32 n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void file_appears_under_its_name_only_when_complete(void **state)
{
	struct whole_file w;

	(void)state;
	assert_int_equal(whole_file_open(path, false, &w), 0);
	fputs("new", w.f);
	fflush(w.f);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(whole_file_close(&w, true), 0);
	assert_text("new");
	assert_int_equal(n_files(), 1);
	assert_int_equal(whole_file_close(&w, true), 0); /* does nothing: already closed */
}

static void old_file_is_kept_if_writing_the_new_file_fails(void **state)
{
	(void)state;
	assert_int_equal(write_it("old", true), 0);
	assert_int_equal(write_it("new", false), 0);
	assert_text("old");
	assert_int_equal(n_files(), 1);
}

static void new_file_has_the_mode_of_the_old_file(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(write_it("old", true), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(write_it("new", true), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

static void private_file_is_accessible_to_its_owner_only(void **state)
{
	struct whole_file w;
	struct stat st;

	(void)state;
	assert_int_equal(write_it("old", true), 0);
	assert_int_equal(whole_file_open(path, true, &w), 0);
	assert_int_equal(whole_file_close(&w, true), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void new_file_replaces_no_file(void **state)
{
	struct whole_file w;
	struct stat st;

	(void)state;
	unlink(path);
	assert_int_equal(whole_file_open_new(path, &w), 0);
	fputs("first", w.f);
	assert_int_equal(whole_file_close(&w, true), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(whole_file_open_new(path, &w), 0);
	fputs("second", w.f);
	assert_int_equal(whole_file_close(&w, true), -EEXIST);
	assert_text("first");
	unlink(path);
	assert_int_equal(symlink("nowhere", path), 0);
	assert_int_equal(whole_file_open_new(path, &w), 0);
	assert_int_equal(whole_file_close(&w, true), -EEXIST);
	assert_int_equal(n_files(), 1);
	unlink(path);
	assert_int_equal(whole_file_open_new("", &w), -ENOENT);
}

static void file_is_ours_if_it_belongs_to_root_or_to_the_caller(void **state)
{
	struct stat st = { .st_uid = geteuid() };

	(void)state;
	assert_true(whole_file_is_ours(&st));
	st.st_uid = 0;
	assert_true(whole_file_is_ours(&st));
	st.st_uid = 4711;
	unsetenv("SUDO_UID");
	assert_false(whole_file_is_ours(&st));
	setenv("SUDO_UID", "4711", 1);
	assert_int_equal(whole_file_is_ours(&st), !geteuid());
	setenv("SUDO_UID", "4712", 1);
	assert_false(whole_file_is_ours(&st));
	unsetenv("SUDO_UID");
}

static void write_to_a_full_device_is_an_error(void **state)
{
	struct whole_file w;

	(void)state;
	assert_int_equal(whole_file_open("/dev/full", false, &w), 0);
	fputs("x", w.f);
	assert_int_equal(whole_file_close(&w, true), -ENOSPC);
	assert_int_equal(whole_file_open("/dev/full", false, &w), 0);
	for (u32 i = 0; i < 100000; i++) /* an earlier write failed; the last one succeeds */
		fputc('x', w.f);
	assert_int_not_equal(whole_file_close(&w, true), 0);
}

static void invalid_output_path_is_refused_immediately(void **state)
{
	struct whole_file w;

	(void)state;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(whole_file_open(path, false, &w), -ENXIO);
	unlink(path);
	assert_int_equal(whole_file_open(folder, false, &w), -EISDIR);
	assert_int_equal(whole_file_open("/nowhere/x", false, &w), -ENOENT);
	assert_int_equal(n_files(), 0);
}

static void file_that_is_longer_than_the_limit_is_refused(void **state)
{
	char *text = NULL;

	(void)state;
	assert_int_equal(write_it("12345", true), 0);
	assert_int_equal(whole_file_read(path, 4, &text), -EFBIG);
	assert_null(text);
	assert_int_equal(whole_file_read(path, 5, &text), 0);
	assert_string_equal(text, "12345");
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(file_appears_under_its_name_only_when_complete),
	cmocka_unit_test(old_file_is_kept_if_writing_the_new_file_fails),
	cmocka_unit_test(new_file_has_the_mode_of_the_old_file),
	cmocka_unit_test(private_file_is_accessible_to_its_owner_only),
	cmocka_unit_test(new_file_replaces_no_file),
	cmocka_unit_test(file_is_ours_if_it_belongs_to_root_or_to_the_caller),
	cmocka_unit_test(write_to_a_full_device_is_an_error),
	cmocka_unit_test(invalid_output_path_is_refused_immediately),
	cmocka_unit_test(file_that_is_longer_than_the_limit_is_refused),
};

int main(void)
{
	int failed;

	umask(022);
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/file", folder);
	failed = CHECK_RUN(tests);
	unlink(path);
	rmdir(folder);
	return failed;
}
