// SPDX-License-Identifier: BSD-2-Clause

/* Tests when the line of a process or the name of a thread is written again. */

#include <stdlib.h>
#include <string.h>

#include "../../loader/session/metadata_writer.h"
#include "../check.h"

static FILE *out;
static struct profile *profile;
static struct metadata_writer *metadata;
static struct process *process;
static struct image image;

static int begin(void **state)
{
	static const struct prof_header header = { .hz = 99 };

	(void)state;
	out = tmpfile();
	process = process_new(5000000); /* not the pid of any live process */
	if (!out || !process || profile_new(&profile, out, &header) ||
	    metadata_writer_new(&metadata, profile))
		return -1;
	image = (struct image){ .process = process, .gen = 1 };
	strcpy(process->name, "first.js");
	process->exit_ns = 1; /* the process has exited, so /proc is not read */
	process->priv = &image;
	return 0;
}

static int finish(void **state)
{
	(void)state;
	metadata_writer_free(&metadata);
	profile_free(&profile);
	process_free(&process);
	return fclose(out);
}

/* Returns how many lines of the profile contain @text. */
static u32 n_lines(const char *text)
{
	char line[4096];
	u32 n = 0;

	assert_int_equal(profile_flush(profile), 0);
	rewind(out);
	while (fgets(line, sizeof(line), out))
		n += strstr(line, text) != NULL;
	return n;
}

static void sample(struct process *p, u32 tid, u64 start_ns)
{
	struct uw_sample s = { .pid = 5000000, .tid = tid, .start_ns = start_ns };

	assert_int_equal(metadata_writer_sample(metadata, p, &s), 0);
}

static void a_process_line_is_written_again_if_the_process_name_or_image_changes(void **state)
{
	(void)state;
	for (u32 i = 0; i < 3; i++)
		sample(process, 1, 10);
	assert_int_equal(n_lines("\"type\":\"process\""), 1);
	assert_int_equal(n_lines("first.js"), 1);
	strcpy(process->name, "second.js");
	for (u32 i = 0; i < 3; i++)
		sample(process, 1, 10);
	assert_int_equal(n_lines("first.js"), 1);
	assert_int_equal(n_lines("second.js"), 1);
	image.is_written = false; /* another exec with the same name */
	sample(process, 1, 10);
	assert_int_equal(n_lines("second.js"), 2);
}

static void a_process_without_a_name_is_written_with_its_comm_as_name(void **state)
{
	(void)state;
	process->name[0] = 0;
	strcpy(process->comm, "comm");
	sample(process, 1, 10);
	assert_int_equal(n_lines("\"name\":\"comm\""), 1);
}

static void a_thread_line_is_written_again_if_the_thread_name_changes(void **state)
{
	(void)state;
	assert_int_equal(process_add_thread(process, 7, "worker"), 0);
	for (u32 i = 0; i < 3; i++)
		sample(process, 7, 10);
	assert_int_equal(n_lines("worker"), 1);
	sample(process, 7, 11); /* another thread with the same tid */
	assert_int_equal(n_lines("worker"), 2);
	metadata_writer_forget_thread(metadata, 8);
	sample(process, 7, 11);
	assert_int_equal(n_lines("worker"), 2);
	metadata_writer_forget_thread(metadata, 7);
	sample(process, 7, 11);
	assert_int_equal(n_lines("worker"), 3);
}

static void a_process_line_for_an_unknown_pid_is_written_once_per_start_time(void **state)
{
	(void)state;
	for (u32 i = 0; i < 3; i++)
		sample(NULL, 7, 10);
	assert_int_equal(n_lines("\"type\":\"process\",\"pid\":5000000"), 1);
	sample(NULL, 8, 11);
	assert_int_equal(n_lines("\"type\":\"process\",\"pid\":5000000"), 2);
	assert_int_equal(n_lines("\"type\":\"thread\""), 2);
}

static void a_thread_that_ended_unseen_has_a_line_without_a_name(void **state)
{
	(void)state;
	strcpy(process->comm, "comm");
	sample(process, 7, 10);
	assert_int_equal(n_lines("\"tid\":7}"), 1);
	sample(process, 5000000, 10);
	assert_int_equal(n_lines("\"tid\":5000000,\"name\":\"comm\""), 1);
	sample(NULL, 9, 10);
	assert_int_equal(n_lines("\"tid\":9}"), 1);
}

static void each_line_is_written_again_after_the_writer_forgets(void **state)
{
	(void)state;
	assert_int_equal(process_add_thread(process, 7, "worker"), 0);
	for (u32 i = 1; i < 4; i++) {
		for (u32 again = 0; again < 2; again++) {
			sample(process, 7, 10);
			sample(NULL, 8, 10);
		}
		assert_int_equal(n_lines("first.js"), i);
		assert_int_equal(n_lines("worker"), i);
		assert_int_equal(n_lines("\"type\":\"process\""), 2 * i);
		metadata_writer_forget(metadata);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_process_line_is_written_again_if_the_process_name_or_image_changes),
		TEST(a_process_without_a_name_is_written_with_its_comm_as_name),
		TEST(a_thread_line_is_written_again_if_the_thread_name_changes),
		TEST(a_process_line_for_an_unknown_pid_is_written_once_per_start_time),
		TEST(a_thread_that_ended_unseen_has_a_line_without_a_name),
		TEST(each_line_is_written_again_after_the_writer_forgets),
	};

	return CHECK_RUN(tests);
}
