/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests the reading of folded stacks as a profile; the members of a frame come from its label. */

#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../loader/out/out.h"
#include "../../loader/profile/data.h"
#include "made.h"

static int read_text(const char *text, size_t len, struct prof_data **d)
{
	struct prof_reader *in = NULL;
	int r;

	assert_int_equal(prof_reader_new(made_fd(text, len), "in", &in), 0);
	r = data_read(in, d);
	assert_true(r == 0 || prof_reader_error(in)[0]);
	prof_reader_free(&in);
	return r;
}

static const struct {
	const char *label;
	struct prof_frame frame;
} labels[] = {
	{ "main", { .kind = PROF_N_KINDS, .name = "main" } },
	{ "f (/a.js:3)", { .kind = PROF_JS, .name = "f", .file = "/a.js", .start_line = 3 } },
	{ "f (/a.js:3:14)",
	  { .kind = PROF_JS, .name = "f", .file = "/a.js", .start_line = 3, .start_column = 14 } },
	{ "async f (/a.ts)", { .kind = PROF_JS, .name = "f", .file = "/a.ts", .async = true } },
	{ "get x (node:net:9)",
	  { .kind = PROF_JS, .name = "get x", .file = "node:net", .start_line = 9 } },
	{ "g (eval at f (/a.js:5:14), <anonymous>:2)",
	  { .kind = PROF_JS,
	    .name = "g",
	    .file = "eval at f (/a.js:5:14), <anonymous>",
	    .start_line = 2 } },
	{ "A.B(int) (/s/a.cs:7)",
	  { .kind = PROF_DOTNET, .name = "A.B(int)", .file = "/s/a.cs", .start_line = 7 } },
	{ "a::b((anonymous namespace)::c const&)",
	  { .kind = PROF_N_KINDS, .name = "a::b((anonymous namespace)::c const&)" } },
	{ "x (anonymous namespace)", { .kind = PROF_N_KINDS, .name = "x (anonymous namespace)" } },
	{ "do_syscall_64_[k]", { .kind = PROF_KERNEL, .name = "do_syscall_64_[k]" } },
	{ "f (/a.c:99999999999)",
	  { .kind = PROF_NATIVE, .name = "f", .file = "/a.c:99999999999" } },
};

static void a_label_of_a_folded_stack_is_parsed_into_name_file_and_start(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		const struct prof_frame *want = &labels[i].frame;
		struct prof_data *d = NULL;
		char text[256];

		snprintf(text, sizeof(text), "%s 3\n", labels[i].label);
		assert_int_equal(read_text(text, strlen(text), &d), 0);
		assert_int_equal(d->samples, 3);
		assert_string_equal(d->frames[0].name, want->name);
		if (want->file)
			assert_string_equal(d->frames[0].file, want->file);
		else
			assert_null(d->frames[0].file);
		assert_int_equal(d->frames[0].kind, want->kind);
		assert_int_equal(d->frames[0].start_line, want->start_line);
		assert_int_equal(d->frames[0].start_column, want->start_column);
		assert_int_equal(d->frames[0].async, want->async);
		data_free(&d);
	}
}

static void the_walk_status_is_recognized_at_any_position_of_a_folded_stack(void **state)
{
	static const char text[] =
		"root;[failed: fault];mid;leaf 2\n[truncated: depth limit];root 1\n"
		"root;mid;[failed: fault] 4\n";
	struct prof_data *d = NULL;

	(void)state;
	assert_int_equal(read_text(text, strlen(text), &d), 0);
	assert_int_equal(d->n_stacks, 3);
	assert_int_equal(d->stacks[0].status, PROF_FAILED);
	assert_string_equal(d->stacks[0].reason, "fault");
	assert_int_equal(d->stacks[0].n_frames, 3);
	assert_string_equal(d->frames[d->stacks[0].frames[0]].name, "leaf");
	assert_int_equal(d->stacks[1].status, PROF_TRUNCATED);
	assert_string_equal(d->stacks[1].reason, "depth limit");
	assert_int_equal(d->stacks[2].status, PROF_COMPLETE);
	assert_int_equal(d->stacks[2].n_frames, 3);
	data_free(&d);
}

static void folded_stacks_are_unchanged_when_converted_to_folded_stacks(void **state)
{
	static const char text[] = "main (/a.js:1);f (/a.js:3:14);async f (/a.js:3:20) 2\n"
				   "[truncated: depth limit];main (/a.js:1);libz.so.1+0x1f 1\n";
	struct prof_reader *in = NULL;
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	(void)state;
	assert_int_equal(prof_reader_new(made_fd(text, strlen(text)), "in", &in), 0);
	assert_int_equal(out_folded.write(in, f), 0);
	fclose(f);
	prof_reader_free(&in);
	assert_string_equal(out, text);
	free(out);
}

static void lines_that_are_not_folded_stacks_are_rejected(void **state)
{
	static const char *const texts[] = { "f 1\nno number\n", "f 1\n{\"type\":\"header\"}\n",
					     "f 1\n\n", "f\n", " 1\n" };
	struct prof_data *d = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(read_text(texts[i], strlen(texts[i]), &d), -EBADMSG);
}

static void a_truncated_or_corrupt_folded_file_is_read_or_rejected_without_a_crash(void **state)
{
	char text[] = "a;async b (/c.js:3:4);[failed: x];c (d (e)) 2\n[truncated: y];f 1\n";

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		struct prof_data *d = NULL;

		if (!read_text(text, i, &d))
			data_free(&d);
		text[i] ^= 0x5f;
		if (!read_text(text, sizeof(text) - 1, &d))
			data_free(&d);
		text[i] ^= 0x5f;
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_label_of_a_folded_stack_is_parsed_into_name_file_and_start),
		cmocka_unit_test(the_walk_status_is_recognized_at_any_position_of_a_folded_stack),
		cmocka_unit_test(folded_stacks_are_unchanged_when_converted_to_folded_stacks),
		cmocka_unit_test(lines_that_are_not_folded_stacks_are_rejected),
		cmocka_unit_test(
			a_truncated_or_corrupt_folded_file_is_read_or_rejected_without_a_crash),
	};

	return CHECK_RUN(tests);
}
