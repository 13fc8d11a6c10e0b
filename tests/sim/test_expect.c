// SPDX-License-Identifier: BSD-2-Clause

/* Tests that the values of a fixture's expectation are replaced without any other change. */

#include "../../sim/fixture/expect.h"
#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD                                                                                       \
	"about: ü is two bytes\nruntime: native\nfunctions: [{name: f, tier: native}]\n"          \
	"stack: {pc: f, fp: \"0\", words: [\"0\"]}\n"

static char path[] = "/tmp/unspool-expect-XXXXXX";

static struct doc_file *open_text(const char *text)
{
	struct sim_problem problem = { "" };
	struct doc_file *file = NULL;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	if (doc_file_open(path, &problem, &file))
		fail_msg("%s", problem.text);
	return file;
}

struct row {
	const char *before, *status, *pcs[4], *after, *reasons[4];
};

static const struct row rows[] = {
	{ HEAD "expect:\n  status: fault  # why\n  pcs: [f, f+1]  # leaf first\nmax_insns: 5\n",
	  "end",
	  { "f", "g.ra0", "h" },
	  HEAD
	  "expect:\n  status: end  # why\n  pcs: [f, g.ra0, h]  # leaf first\nmax_insns: 5\n" },
	{ HEAD "expect: {pcs: [f], status: fault}\n",
	  "no frame pointer",
	  { "f", "g" },
	  HEAD "expect: {pcs: [f, g], status: no frame pointer}\n" },
	{ HEAD "expect:\n  pcs:\n    - f\n    # between\n    - \"0x10\"  # last\n  status: fault\n",
	  "end",
	  { "f", "g" },
	  HEAD "expect:\n  pcs:\n    - f\n    - g  # last\n  status: end\n" },
	{ HEAD "expect:\n  status: fault\n  pcs:\n  - f\n",
	  NULL,
	  { "f", "g", "h" },
	  HEAD "expect:\n  status: fault\n  pcs:\n  - f\n  - g\n  - h\n" },
	{ HEAD "expect:\n  reasons: [ok,  ok]\n  status: fault\n  pcs:\n  - f\n  - g\n",
	  NULL,
	  { "f", "g", "h" },
	  HEAD "expect:\n  reasons: [ok, no function in frame, ok]\n  status: fault\n"
	       "  pcs:\n  - f\n  - g\n  - h\n",
	  { "ok", "no function in frame", "ok" } },
	{ HEAD "expect:\n  status: 'fault'\n  pcs: [f]\n",
	  "end",
	  { NULL },
	  HEAD "expect:\n  status: end\n  pcs: [f]\n" },
	{ "\xef\xbb\xbf" HEAD "expect:\r\n  status: fault\r\n  pcs: [f]\r\n",
	  "end",
	  { "g" },
	  "\xef\xbb\xbf" HEAD "expect:\r\n  status: end\r\n  pcs: [g]\r\n" },
};

static void only_the_values_of_the_expectation_change_if_it_is_rewritten(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doc_file *file = open_text(rows[i].before);
		struct expect_new new;
		char *text = NULL;
		u32 n = 0;

		while (rows[i].pcs[n])
			n++;
		new = (struct expect_new){ rows[i].status, n ? rows[i].pcs : NULL,
					   rows[i].reasons[0] ? rows[i].reasons : NULL, n };
		assert_int_equal(expect_rewrite(file, &new, &text), 0);
		assert_string_equal(text, rows[i].after);
		free(text);
		doc_file_free(&file);
	}
}

static void a_long_sequence_in_an_expectation_is_wrapped_with_the_same_meaning(void **state)
{
	const char *const name = "a_rather_long_name.ra0";
	const char *pcs[64];
	struct expect_new new = { .pcs = pcs, .n = 64 };
	char *text, *line;
	struct doc_file *file = open_text(HEAD "expect:\n  status: end\n  pcs: [f]\n");

	(void)state;
	for (u32 i = 0; i < 64; i++)
		pcs[i] = name;
	assert_int_equal(expect_rewrite(file, &new, &text), 0);
	doc_file_free(&file);
	file = open_text(text);
	assert_int_equal(file->doc->expect->pcs_count, 64);
	for (u32 i = 0; i < 64; i++)
		assert_string_equal(file->doc->expect->pcs[i], name);
	doc_file_free(&file);
	for (char *rest = text; (line = strsep(&rest, "\n"));)
		assert_true(strlen(line) <= 100);
	free(text);
}

static void a_fixture_text_without_an_expectation_is_not_rewritten(void **state)
{
	struct expect_new new = { .status = "end" };
	struct doc_file *file = open_text(HEAD);
	char *text = NULL;

	(void)state;
	assert_int_equal(expect_rewrite(file, &new, &text), -EINVAL);
	assert_null(text);
	doc_file_free(&file);
}

static void new_reasons_are_rejected_if_the_expectation_has_no_reasons(void **state)
{
	const char *reason = "ok";
	struct expect_new new = { .reasons = &reason, .n = 1 };
	struct doc_file *file = open_text(rows[0].before);
	char *text = NULL;

	(void)state;
	assert_int_equal(expect_rewrite(file, &new, &text), -EINVAL);
	assert_null(text);
	doc_file_free(&file);
}

/*
 * The document was parsed from the complete text, but the text given is truncated, so
 * positions in the document can be beyond its end.
 */
static void a_truncated_fixture_text_is_either_rejected_or_rewritten(void **state)
{
	struct doc_file *file = open_text(rows[0].before);
	size_t whole = file->len;
	u32 n_done = 0;

	(void)state;
	for (file->len = 0; file->len < whole; file->len++) {
		const char *pc = "f";
		struct expect_new new = { .status = "end", .pcs = &pc, .n = 1 };
		char *text = NULL;
		int err = expect_rewrite(file, &new, &text);

		assert_true(err == 0 || err == -EINVAL);
		n_done += !err;
		free(text);
	}
	assert_true(n_done > 0 && n_done < whole / 2);
	doc_file_free(&file);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(only_the_values_of_the_expectation_change_if_it_is_rewritten),
	cmocka_unit_test(a_long_sequence_in_an_expectation_is_wrapped_with_the_same_meaning),
	cmocka_unit_test(a_fixture_text_without_an_expectation_is_not_rewritten),
	cmocka_unit_test(new_reasons_are_rejected_if_the_expectation_has_no_reasons),
	cmocka_unit_test(a_truncated_fixture_text_is_either_rejected_or_rewritten),
};

int main(void)
{
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = CHECK_RUN(tests);
	unlink(path);
	return failed;
}
