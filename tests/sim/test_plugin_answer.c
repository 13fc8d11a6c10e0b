// SPDX-License-Identifier: BSD-2-Clause

/* Tests the parsing and judging of plugins' output. */

#include "../../sim/plugin/answer.h"
#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct plugin_answer answer;

struct good {
	const char *text;
	u32 n;
	u64 pcs[3];
	enum plugin_status status;
	const char *reason;
};

static const struct good good_rows[] = {
	{ "{\"frames\":[{\"pc\":\"0x1\"},{\"pc\":\"0xFfff000000000a2c\"}]}",
	  2,
	  { 1, 0xffff000000000a2c },
	  PLUGIN_COMPLETE,
	  "" },
	{ "[{\"pc\":\"0x10\",\"name\":\"main\",\"line\":3}]\n", 1, { 16 }, PLUGIN_COMPLETE, "" },
	{ "{\"frames\":[],\"status\":\"failed\",\"reason\":\"no \\u001b[1mrow\\u202e\"}",
	  0,
	  { 0 },
	  PLUGIN_FAILED,
	  "no \\x1b[1mrow\\u202e" },
	{ " {\"status\":\"truncated\",\"frames\":[{\"pc\":\"0x0\"}],\"type\":\"stack\"} ",
	  1,
	  { 0 },
	  PLUGIN_TRUNCATED,
	  "" },
	{ "{\"frames\":[],\"status\":\"complete\"}", 0, { 0 }, PLUGIN_COMPLETE, "" },
};

static void a_valid_plugin_answer_is_accepted(void **state)
{
	char why[PLUGIN_REASON_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(good_rows) / sizeof(good_rows[0]); i++) {
		const struct good *r = &good_rows[i];

		if (plugin_answer_parse(r->text, strlen(r->text), &answer, why, sizeof(why)))
			fail_msg("%s: %s", r->text, why);
		assert_int_equal(answer.n, r->n);
		assert_memory_equal(answer.pcs, r->pcs, r->n * sizeof(u64));
		assert_int_equal(answer.status, r->status);
		assert_string_equal(answer.reason, r->reason);
	}
}

struct bad {
	const char *text;
	const char *why;
};

static const struct bad bad_rows[] = {
	{ "", "the program printed nothing" },
	{ "\n", "the program printed invalid JSON: line 2: '[' or '{' expected near end of file" },
	{ "Segmentation fault",
	  "the program printed invalid JSON: line 1: '[' or '{' expected near 'Segmentation'" },
	{ "\x1b[31m",
	  "the program printed invalid JSON: line 1: '[' or '{' expected near '\\x1b'" },
	{ "[]\n[]", "the program printed invalid JSON: line 2: end of file expected near '['" },
	{ "{\"frames\":\"0x1\"}", "the JSON lacks the array \"frames\"" },
	{ "{}", "the JSON lacks the array \"frames\"" },
	{ "[4198956]", "frame 0: \"pc\" must be a string like \"0x401a2c\"" },
	{ "[\"0x1\"]", "frame 0: \"pc\" must be a string like \"0x401a2c\"" },
	{ "[{\"pc\":\"0x1\"},{\"pc\":1}]", "frame 1: \"pc\" must be a string like \"0x401a2c\"" },
	{ "[{\"pc\":\"401a2c\"}]", "frame 0: \"pc\" must be a string like \"0x401a2c\"" },
	{ "[{\"pc\":\"0x\"}]", "frame 0: \"pc\" must be a string like \"0x401a2c\"" },
	{ "[{\"pc\":\"0x12345678123456781\"}]",
	  "frame 0: \"pc\" must be a string like \"0x401a2c\"" },
	{ "[{\"pc\":\"0x1 \"}]", "frame 0: \"pc\" must be a string like \"0x401a2c\"" },
	{ "[{\"pc\":null}]", "frame 0: \"pc\" must be a string like \"0x401a2c\"" },
	{ "{\"frames\":[],\"status\":\"ok\"}", "\"status\" must be complete, truncated or failed" },
	{ "{\"frames\":[],\"status\":7}", "\"status\" must be complete, truncated or failed" },
	{ "{\"frames\":[],\"frames\":[]}",
	  "the program printed invalid JSON: line 1: duplicate object key near '\"frames\"'" },
};

static void an_invalid_plugin_answer_is_rejected_with_a_reason(void **state)
{
	char why[160];

	(void)state;
	for (size_t i = 0; i < sizeof(bad_rows) / sizeof(bad_rows[0]); i++) {
		const struct bad *r = &bad_rows[i];

		if (!plugin_answer_parse(r->text, strlen(r->text), &answer, why, sizeof(why)))
			fail_msg("the invalid answer %s was accepted", r->text);
		assert_string_equal(why, r->why);
	}
	assert_int_equal(plugin_answer_parse("[]\0[]", 5, &answer, why, sizeof(why)), -EBADMSG);
	assert_int_equal(plugin_answer_parse("[\"\xff\"]", 5, &answer, why, sizeof(why)), -EBADMSG);
}

/* The buffer ends where the answer is cut, so that a sanitizer detects a read past it. */
static void a_truncated_plugin_answer_is_rejected(void **state)
{
	char why[160];

	(void)state;
	for (size_t i = 0; i < sizeof(good_rows) / sizeof(good_rows[0]); i++) {
		size_t len = strcspn(good_rows[i].text, "]") + 1;

		if (good_rows[i].text[0] == ' ' || good_rows[i].text[0] == '{')
			len = (size_t)(strrchr(good_rows[i].text, '}') - good_rows[i].text) + 1;
		for (size_t n = 0; n < len; n++) {
			char *copy = malloc(n ? n : 1);

			assert_non_null(copy);
			memcpy(copy, good_rows[i].text, n);
			if (!plugin_answer_parse(copy, n, &answer, why, sizeof(why)))
				fail_msg("%.*s: was taken", (int)n, copy);
			free(copy);
		}
	}
}

static char *many_frames(u32 n)
{
	const char *frame = "{\"pc\":\"0x1\"},";
	char *text = malloc(n * strlen(frame) + 3), *p = text;

	assert_non_null(text);
	*p++ = '[';
	for (u32 i = 0; i < n; i++)
		p = stpcpy(p, frame);
	strcpy(p - 1, "]");
	return text;
}

static void a_plugin_answer_with_too_many_frames_is_rejected(void **state)
{
	char why[160], *text = many_frames(PLUGIN_MAX_FRAMES);

	(void)state;
	assert_int_equal(plugin_answer_parse(text, strlen(text), &answer, why, sizeof(why)), 0);
	assert_int_equal(answer.n, PLUGIN_MAX_FRAMES);
	free(text);
	text = many_frames(PLUGIN_MAX_FRAMES + 1);
	assert_int_equal(plugin_answer_parse(text, strlen(text), &answer, why, sizeof(why)),
			 -EBADMSG);
	assert_string_equal(why, "the answer has 8193 frames; the limit is 8192");
	free(text);
}

#define EXACT PLUGIN_EXACT
#define FINE PLUGIN_ACCEPTABLE
#define WRONG PLUGIN_WRONG

/* The true stack is 1 2 3 4. */
struct judged {
	const char *what;
	u32 n;
	u64 pcs[6];
	/*
	 * The verdicts on a complete, truncated and failed answer: first for a complete truth,
	 * then for an incomplete one.
	 */
	enum plugin_verdict whole[3], partial[3];
};

static const struct judged judged_rows[] = {
	{ "all frames", 4, { 1, 2, 3, 4 }, { EXACT, EXACT, EXACT }, { WRONG, EXACT, EXACT } },
	{ "no outermost frame", 3, { 1, 2, 3 }, { WRONG, FINE, FINE }, { WRONG, FINE, FINE } },
	{ "only the leaf", 1, { 1 }, { WRONG, FINE, FINE }, { WRONG, FINE, FINE } },
	{ "no frames", 0, { 0 }, { WRONG, FINE, FINE }, { WRONG, FINE, FINE } },
	{ "no caller of the leaf",
	  3,
	  { 1, 3, 4 },
	  { WRONG, WRONG, WRONG },
	  { WRONG, WRONG, WRONG } },
	{ "no leaf", 3, { 2, 3, 4 }, { WRONG, WRONG, WRONG }, { WRONG, WRONG, WRONG } },
	{ "a wrong frame", 4, { 1, 2, 9, 4 }, { WRONG, WRONG, WRONG }, { WRONG, WRONG, WRONG } },
	{ "an extra outermost frame",
	  5,
	  { 1, 2, 3, 4, 5 },
	  { WRONG, WRONG, WRONG },
	  { WRONG, WRONG, WRONG } },
	{ "a repeated frame",
	  5,
	  { 1, 2, 2, 3, 4 },
	  { WRONG, WRONG, WRONG },
	  { WRONG, WRONG, WRONG } },
	{ "two changed places",
	  4,
	  { 1, 3, 2, 4 },
	  { WRONG, WRONG, WRONG },
	  { WRONG, WRONG, WRONG } },
};

static void each_plugin_answer_is_compared_with_the_true_stack(void **state)
{
	static const u64 pcs[] = { 1, 2, 3, 4 };
	struct sim_truth truth = { .pcs = pcs, .n = 4 };

	(void)state;
	for (size_t i = 0; i < sizeof(judged_rows) / sizeof(judged_rows[0]); i++) {
		const struct judged *r = &judged_rows[i];

		answer.n = r->n;
		memcpy(answer.pcs, r->pcs, sizeof(r->pcs));
		for (answer.status = 0; answer.status < PLUGIN_N_STATUS; answer.status++)
			if (plugin_judge(&answer, &truth, true) != r->whole[answer.status] ||
			    plugin_judge(&answer, &truth, false) != r->partial[answer.status])
				fail_msg(
					"%s, %s: %s, %s", r->what,
					plugin_status_words[answer.status],
					plugin_verdict_words[plugin_judge(&answer, &truth, true)],
					plugin_verdict_words[plugin_judge(&answer, &truth, false)]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_valid_plugin_answer_is_accepted),
		cmocka_unit_test(an_invalid_plugin_answer_is_rejected_with_a_reason),
		cmocka_unit_test(a_truncated_plugin_answer_is_rejected),
		cmocka_unit_test(a_plugin_answer_with_too_many_frames_is_rejected),
		cmocka_unit_test(each_plugin_answer_is_compared_with_the_true_stack),
	};

	return CHECK_RUN(tests);
}
