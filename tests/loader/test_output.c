// SPDX-License-Identifier: BSD-2-Clause

/* Tests the output files of a recording: names, permissions, and files that are in the way. */

#include "../check.h"

/* Includes the source to reach its static functions. */
#include "../../loader/record/output.c" /* NOLINT(bugprone-suspicious-include) */

#define N(a) (sizeof(a) / sizeof((a)[0]))

static char dir[] = "/tmp/test-output-XXXXXX";

static char *in_dir(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* Returns the outputs of the option -o DIR/@name. */
static struct outputs outputs_of(const char *name)
{
	struct record_options options = { .outputs = { in_dir(name) }, .n_outputs = 1 };
	struct outputs o;

	assert_int_equal(outputs_check(&o, &options), CLI_OK);
	return o;
}

static void an_output_name_without_a_known_format_is_rejected(void **state)
{
	static const struct {
		const char *name, *format, *found;
	} rows[] = {
		{ "a.ndjson", NULL, "ndjson" },
		{ "a.ndjson.gz", NULL, "ndjson.gz" },
		{ "a.folded", NULL, "folded" },
		{ "a.txt", "folded", "folded" },
		{ "a.ndjson", "folded", "folded" },
		{ "-", "ndjson", "ndjson" },
		{ "a.txt", NULL, NULL },
		{ "-", NULL, NULL },
		{ "a.ndjson", "pprofile", NULL },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct record_options options = { .outputs = { rows[i].name },
						  .n_outputs = 1,
						  .format = rows[i].format };
		struct outputs o;
		int status = outputs_check(&o, &options);

		assert_int_equal(status, rows[i].found ? CLI_OK : CLI_USAGE);
		if (!status)
			assert_string_equal(o.v[0].format->name, rows[i].found);
		if (!status)
			assert_int_equal(o.has_stdout, rows[i].name[0] == '-');
	}
}

static void an_output_name_that_is_too_long_is_rejected(void **state)
{
	static char name[2 * PATH_MAX];
	struct record_options options = { .outputs = { name }, .n_outputs = 1, .format = "folded" };
	struct outputs o;

	(void)state;
	for (size_t len = PATH_MAX - 2; len < PATH_MAX + 2; len++) {
		memset(name, 'a', len);
		name[len] = 0;
		assert_int_equal(outputs_check(&o, &options),
				 len < sizeof(o.v[0].path) ? CLI_OK : CLI_USAGE);
	}
}

static void the_partial_file_is_private_and_in_the_folder_of_the_output(void **state)
{
	struct outputs o = outputs_of("a.ndjson");
	mode_t old = umask(0);
	struct stat st;

	(void)state;
	assert_int_equal(outputs_open(&o, "name", 7), CLI_OK);
	umask(old);
	assert_string_equal(o.partial_path, in_dir(".a.ndjson.partial"));
	assert_int_equal(stat(o.partial_path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	outputs_discard(&o);
	outputs_deinit(&o);
	assert_int_equal(stat(in_dir(".a.ndjson.partial"), &st), -1);
}

static void a_link_or_fifo_that_has_the_name_of_the_partial_file_is_rejected(void **state)
{
	struct outputs o = outputs_of("b.ndjson");
	char partial[PATH_MAX], other[PATH_MAX];
	struct stat st;
	FILE *f;

	(void)state;
	snprintf(partial, sizeof(partial), "%s", in_dir(".b.ndjson.partial"));
	snprintf(other, sizeof(other), "%s", in_dir("precious"));
	f = fopen(other, "w");
	assert_non_null(f);
	fputs("precious", f);
	fclose(f);
	assert_int_equal(symlink(other, partial), 0);
	assert_int_equal(outputs_open(&o, "name", 7), CLI_USAGE);
	assert_int_equal(unlink(partial), 0);
	assert_int_equal(link(other, partial), 0);
	assert_int_equal(outputs_open(&o, "name", 7), CLI_USAGE);
	assert_int_equal(unlink(partial), 0);
	assert_int_equal(mkfifo(partial, 0600), 0);
	assert_int_equal(outputs_open(&o, "name", 7), CLI_USAGE);
	assert_int_equal(unlink(partial), 0);
	assert_int_equal(stat(other, &st), 0);
	assert_int_equal(st.st_size, 8);
	assert_int_equal(unlink(other), 0);
}

static void a_partial_file_that_another_writer_writes_is_unchanged(void **state)
{
	struct outputs first = outputs_of("c.ndjson"), second = outputs_of("c.ndjson");
	struct stat st;

	(void)state;
	assert_int_equal(outputs_open(&first, "name", 7), CLI_OK);
	assert_int_equal(fprintf(first.partial, "line\n"), 5);
	assert_int_equal(fflush(first.partial), 0);
	assert_int_equal(outputs_open(&second, "name", 7), CLI_USAGE);
	assert_int_equal(stat(first.partial_path, &st), 0);
	assert_int_equal(st.st_size, 5);
	outputs_discard(&first);
	outputs_deinit(&first);
	outputs_deinit(&second);
}

static void a_folder_is_rejected_as_output(void **state)
{
	struct outputs o = outputs_of("d.ndjson");

	(void)state;
	assert_int_equal(mkdir(in_dir("d.ndjson"), 0700), 0);
	assert_int_equal(outputs_open(&o, "name", 7), CLI_USAGE);
	assert_int_equal(rmdir(in_dir("d.ndjson")), 0);
	outputs_deinit(&o);
}

static mode_t mode_of_copy;

static int look_at_copy(void *data, FILE *to)
{
	struct stat st;

	(void)data;
	assert_int_equal(fstat(fileno(to), &st), 0);
	mode_of_copy = st.st_mode & 0777;
	return -EIO;
}

static void a_copy_of_the_profile_is_private_and_is_removed_on_failure(void **state)
{
	struct outputs o = outputs_of("e.ndjson");
	char path[PATH_MAX];
	struct stat st;
	mode_t old;

	(void)state;
	assert_int_equal(outputs_open(&o, "name", 7), CLI_OK);
	old = umask(0);
	assert_int_equal(outputs_copy(&o, look_at_copy, NULL, path), -EIO);
	umask(old);
	assert_int_equal(mode_of_copy, 0600);
	assert_int_equal(stat(in_dir(".e.ndjson.partial.copy"), &st), -1);
	assert_int_equal(stat(in_dir("e-1.ndjson"), &st), -1);
	outputs_discard(&o);
	outputs_deinit(&o);
}

static void copies_of_the_profile_are_numbered_before_the_suffix(void **state)
{
	static const struct {
		const char *name, *end, *copy;
	} rows[] = {
		{ "a.ndjson.gz", NULL, "a-3.ndjson.gz" },
		{ "a.b.folded", NULL, "a.b-3.folded" },
		{ "a.ndjson", ".fr", "a-3.fr" },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct outputs o = outputs_of(rows[i].name);
		char path[PATH_MAX];

		assert_true(name_copy(&o, 3, rows[i].end, path, sizeof(path)));
		assert_string_equal(path, in_dir(rows[i].copy));
		assert_false(name_copy(&o, 3, rows[i].end, path, strlen(path)));
	}
}

static int write_nothing(void *data, FILE *to)
{
	(void)data;
	(void)to;
	return 0;
}

static void no_copy_of_the_profile_is_written_if_the_output_is_a_pipe(void **state)
{
	struct record_options options = { .outputs = { "-" }, .n_outputs = 1, .format = "ndjson" };
	struct out_job job = { write_nothing, NULL };
	char path[PATH_MAX];
	struct outputs o;
	u32 n = 1;

	(void)state;
	assert_int_equal(outputs_check(&o, &options), CLI_OK);
	assert_int_equal(outputs_copy(&o, look_at_copy, NULL, path), -EINVAL);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(outputs_beside(&o, &job, &n, ".fr", path), 0);
	assert_string_equal(path + strlen(path) - strlen("-2.fr"), "-2.fr");
	n = 1;
	assert_int_equal(outputs_beside(&o, &job, &n, ".fr", path), 0);
	assert_string_equal(path + strlen(path) - strlen("-3.fr"), "-3.fr");
	assert_int_equal(unlink(path), 0);
	path[strlen(path) - strlen("3.fr")] = '2';
	assert_int_equal(unlink(path), 0);
}

/* Makes links with the default names of the next three seconds. */
static void plant(void)
{
	for (time_t now = time(NULL), end = now + 3; now < end; now++) {
		char name[64];
		struct tm tm;

		strftime(name, sizeof(name), "unspool-name-7-%Y%m%dT%H%M%SZ.folded",
			 gmtime_r(&now, &tm));
		assert_int_equal(symlink("stolen", name), 0);
	}
}

static void a_default_name_is_one_that_no_file_has(void **state)
{
	struct record_options options = { .format = "folded" };
	struct outputs o;
	struct stat st;

	(void)state;
	assert_int_equal(chdir(dir), 0);
	plant();
	assert_int_equal(outputs_check(&o, &options), CLI_OK);
	assert_int_equal(outputs_open(&o, "name", 7), CLI_OK);
	assert_non_null(strstr(o.v[0].path, "Z-1.folded"));
	assert_non_null(o.maps);
	assert_int_equal(symlink("stolen", o.v[0].path), 0); /* after the start */
	fputs("{\"type\":\"header\",\"schema\":1,\"hz\":99}\n", o.partial);
	fflush(o.partial);
	assert_int_equal(outputs_finish(&o, NULL), CLI_OK);
	assert_non_null(strstr(o.v[0].path, "Z-1-1.folded"));
	assert_int_equal(lstat(o.v[0].path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(stat("stolen", &st), -1);
	outputs_deinit(&o);
	assert_int_equal(system("rm unspool-name-7-*"), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_output_name_without_a_known_format_is_rejected),
		cmocka_unit_test(an_output_name_that_is_too_long_is_rejected),
		cmocka_unit_test(the_partial_file_is_private_and_in_the_folder_of_the_output),
		cmocka_unit_test(a_link_or_fifo_that_has_the_name_of_the_partial_file_is_rejected),
		cmocka_unit_test(a_partial_file_that_another_writer_writes_is_unchanged),
		cmocka_unit_test(a_folder_is_rejected_as_output),
		cmocka_unit_test(a_copy_of_the_profile_is_private_and_is_removed_on_failure),
		cmocka_unit_test(copies_of_the_profile_are_numbered_before_the_suffix),
		cmocka_unit_test(no_copy_of_the_profile_is_written_if_the_output_is_a_pipe),
		cmocka_unit_test(a_default_name_is_one_that_no_file_has),
	};
	int status;

	if (!mkdtemp(dir))
		return 1;
	status = CHECK_RUN(tests);
	rmdir(dir);
	return status;
}
