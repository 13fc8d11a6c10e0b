/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the parser of "samples" lines: whatever it accepts, it must read as jansson and
 * prof_record_parse() do; everything else it must leave to these.
 */

#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../loader/profile/samples_line.h"

#define LINE(rest) "{\"type\":\"samples\",\"pid\":8,\"tid\":9,\"stack\":1," rest

static const char *const accepted[] = {
	LINE("\"count\":1,\"t\":[0]}"),
	LINE("\"count\":3,\"t\":[5,0,100000]}"),
	LINE("\"count\":2,\"t\":[7,8],\"labels\":{\"activity\":\"gc\"}}"),
	("{\"type\":\"samples\",\"pid\":4294967295,\"tid\":0,\"stack\":4294967295,\"count\":1,"
	 "\"t\":[1000000000000000]}"),
};

static const char *const left[] = {
	"",
	"{}",
	LINE("\"count\":1}"),
	LINE("\"count\":0,\"t\":[]}"),
	LINE("\"count\":2,\"t\":[5]}"),
	LINE("\"count\":1,\"t\":[5,6]}"),
	LINE("\"count\":1,\"t\":[-5]}"),
	LINE("\"count\":1,\"t\":[05]}"),
	LINE("\"count\":01,\"t\":[5]}"),
	LINE("\"count\":1,\"t\":[5] }"),
	LINE("\"count\":1,\"t\":[5]}}"),
	LINE("\"count\":1,\"t\":[5,]}"),
	LINE("\"count\":1,\"t\":[1000000000000001]}"),
	LINE("\"count\":1,\"t\":[99999999999999999999]}"),
	LINE("\"count\":1,\"t\":[5],\"labels\":{\"activity\":\"tea\"}}"),
	LINE("\"count\":1,\"t\":[5],\"labels\":{\"activity\":\"gc\"}}}"),
	LINE("\"count\":1,\"t\":[5],\"labels\":{\"activity\":\"gc\",\"unresolved\":true}}"),
	"{\"type\":\"samples\",\"pid\":4294967296,\"tid\":9,\"stack\":1,\"count\":1,\"t\":[5]}",
	"{\"type\":\"sample\",\"pid\":8,\"tid\":9,\"stack\":1,\"count\":1,\"t\":[5]}",
};

/* Parses a copy of exactly @len bytes, so that a read beyond the end is an error of the heap. */
static bool parse(const char *line, size_t len, char **copy, struct prof_record *r)
{
	*copy = malloc(len ? len : 1);
	assert_non_null(*copy);
	memcpy(*copy, line, len);
	return samples_line_parse(*copy, len, r);
}

static void same_times(const struct prof_record *a, const struct prof_record *b)
{
	struct prof_time x = { 0 }, y = { 0 };
	u64 n = 0;

	while (prof_record_time(a, &x)) {
		assert_true(prof_record_time(b, &y));
		assert_int_equal(x.t_us, y.t_us);
		n++;
	}
	assert_false(prof_record_time(b, &y));
	assert_int_equal(n, a->samples.count);
	assert_int_equal(prof_record_count(a, 6, 100000), prof_record_count(b, 6, 100000));
}

/* Return: whether the parser accepts the line; if so, it must agree with jansson. */
static bool agrees(const char *line, size_t len)
{
	struct prof_record quick, slow;
	const char *wrong;
	char *copy;
	bool is_accepted = parse(line, len, &copy, &quick);

	if (is_accepted) {
		json_t *json = json_loadb(line, len, 0, NULL);

		assert_non_null(json);
		assert_int_equal(prof_record_parse(json, &slow, &wrong), 0);
		assert_int_equal(slow.type, PROF_REC_SAMPLES);
		assert_int_equal(quick.type, PROF_REC_SAMPLES);
		assert_int_equal(quick.samples.pid, slow.samples.pid);
		assert_int_equal(quick.samples.tid, slow.samples.tid);
		assert_int_equal(quick.samples.stack, slow.samples.stack);
		assert_int_equal(quick.samples.count, slow.samples.count);
		assert_int_equal(quick.samples.last_t_us, slow.samples.last_t_us);
		assert_int_equal(quick.samples.activity, slow.samples.activity);
		assert_int_equal(quick.samples.unresolved, slow.samples.unresolved);
		same_times(&quick, &slow);
		json_decref(json);
	}
	free(copy);
	return is_accepted;
}

static void a_line_of_the_recorder_is_read_as_jansson_reads_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(accepted) / sizeof(*accepted); i++)
		assert_true(agrees(accepted[i], strlen(accepted[i])));
}

static void any_other_line_is_left_to_jansson(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		if (agrees(left[i], strlen(left[i])))
			fail_msg("accepted: %s", left[i]);
}

static void a_truncated_line_is_left_to_jansson(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(accepted) / sizeof(*accepted); i++)
		for (size_t len = 0; len < strlen(accepted[i]); len++)
			assert_false(agrees(accepted[i], len));
}

static void a_changed_line_is_read_as_jansson_reads_it_or_not_at_all(void **state)
{
	static const char bytes[] = "0129-+.eE,:[]{}\" \\ntgc\x80";
	u32 n_accepted = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(accepted) / sizeof(*accepted); i++) {
		size_t len = strlen(accepted[i]);

		for (size_t at = 0; at < len; at++) {
			for (size_t k = 0; k < sizeof(bytes); k++) {
				char *line = strdup(accepted[i]);

				line[at] = bytes[k];
				n_accepted += agrees(line, len);
				free(line);
			}
		}
	}
	assert_true(n_accepted > 100);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_line_of_the_recorder_is_read_as_jansson_reads_it),
	cmocka_unit_test(any_other_line_is_left_to_jansson),
	cmocka_unit_test(a_truncated_line_is_left_to_jansson),
	cmocka_unit_test(a_changed_line_is_read_as_jansson_reads_it_or_not_at_all),
};

int main(void)
{
	return CHECK_RUN(tests);
}
