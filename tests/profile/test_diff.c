/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests the comparison of two profiles, with counts that are easy to add up by hand. */

#include "../check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../loader/diff/print.h"
#include "../../loader/report/report.h"
#include "made.h"

#define MAX_TEXT 20000

/* ---- profiles ---- */

/* A program: main() calls hot() and an anonymous function, which calls main() again. */
struct made_diff {
	u32 hz;
	u32 first_line; /* of main() */
	u32 hot, anonymous; /* samples per second */
	u32 seconds;
	const char *hot_name;
	bool has_no_times;
};

static void put_samples(FILE *out, const struct made_diff *m, u32 stack, u32 per_second)
{
	if (!per_second)
		return;
	fprintf(out, "{\"type\":\"samples\",\"pid\":1,\"tid\":1,\"stack\":%u,\"count\":%u", stack,
		per_second * m->seconds);
	for (u32 i = 0; !m->has_no_times && i < per_second * m->seconds; i++)
		fprintf(out, "%s%u", i ? "," : ",\"t\":[",
			i && i % per_second == 0 ? 999000
			: i % per_second == 1	 ? 1000
						 : 0);
	fprintf(out, "%s}\n", m->has_no_times ? "" : "]");
}

static void put_frame(FILE *out, u32 id, const char *name, u32 line)
{
	fprintf(out,
		"{\"type\":\"frame\",\"id\":%u,\"kind\":\"js\",\"name\":\"%s\",\"file\":\"/"
		"app.js\","
		"\"start_line\":%u}\n",
		id, name, line);
}

static void read_side(struct diff_side *s, const char *path, const struct made_diff *m)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct prof_reader *in = NULL;
	u32 n = (m->hot + m->anonymous) * m->seconds;

	fprintf(out, "{\"type\":\"header\",\"schema\":1,\"hz\":%u}\n", m->hz);
	put_frame(out, 1, "main", m->first_line);
	put_frame(out, 2, m->hot_name ? m->hot_name : "hot", m->first_line + 5);
	put_frame(out, 3, "(anonymous)", m->first_line + 8);
	fprintf(out,
		"{\"type\":\"stack\",\"id\":1,\"frames\":[2,1],\"status\":\"complete\"}\n"
		"{\"type\":\"stack\",\"id\":2,\"frames\":[3,1,3,1],\"status\":\"complete\"}\n");
	put_samples(out, m, 1, m->hot);
	put_samples(out, m, 2, m->anonymous);
	fprintf(out,
		"{\"type\":\"summary\",\"samples\":%u,\"complete\":%u,\"duration_ns\":%u000000000}"
		"\n",
		n, n, m->seconds);
	fclose(out);
	*s = (struct diff_side){ .path = path };
	assert_int_equal(prof_reader_new(made_fd(text, len), path, &in), 0);
	if (data_read_samples(in, &s->data))
		fail_msg("%s", prof_reader_error(in));
	prof_reader_free(&in);
	free(text);
}

struct compared {
	struct diff_side before, after;
	struct diff diff;
};

static void compare(struct compared *c, const struct made_diff *before,
		    const struct made_diff *after, enum diff_per per)
{
	read_side(&c->before, "a.ndjson", before);
	read_side(&c->after, "b.ndjson", after);
	c->before.units = 10;
	c->after.units = 20;
	assert_int_equal(diff_make(&c->before, &c->after, QUERY_ALL, per, &c->diff), 0);
}

static void compared_deinit(struct compared *c)
{
	diff_deinit(&c->diff);
	diff_side_deinit(&c->before);
	diff_side_deinit(&c->after);
}

static const struct diff_row *row_of(const struct diff *d, const char *name)
{
	for (u32 i = 0; i < d->n; i++)
		if (!strcmp(diff_row_name(&d->rows[i]), name))
			return &d->rows[i];
	fail_msg("there is no row %s", name);
	return NULL;
}

static void assert_near(double is, double want)
{
	if (fabs(is - want) > 1e-6 * (1 + fabs(want)))
		fail_msg("%.9g, not %.9g", is, want);
}

static void assert_value(const struct diff_value *v, double before, double after)
{
	assert_near(v->before, before);
	assert_near(v->after, after);
}

static char *printed(const struct diff *d,
		     int (*print)(FILE *out, const struct diff *d, const struct diff_print *print),
		     bool is_all)
{
	const struct diff_print options = { is_all, 0, REPORT_UNLIMITED };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(print(out, d, &options), 0);
	fclose(out);
	return text;
}

static void assert_prints(char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("\"%s\" is not in:\n%s", want, text);
}

static const struct made_diff usual = { 100, 1, 60, 40, 30, NULL, false };

/* ---- tests ---- */

static void blocks_have_the_counts_of_each_second(void **state)
{
	struct diff_side s;
	const struct block_row *row;

	(void)state;
	read_side(&s, "a", &usual);
	assert_int_equal(blocks_count(s.data, QUERY_ALL, BLOCKS_BY_SAMPLES, &s.blocks), 0);
	assert_int_equal(s.blocks.n, 3);
	assert_int_equal(s.blocks.n_blocks, 30);
	assert_near(s.blocks.seconds, 30);
	for (row = s.blocks.rows; strcmp(row->function->name, "(anonymous)"); row++)
		;
	/* The function is twice in a stack, but a sample counts once: 40 of 100 in each block. */
	assert_int_equal(row->self.samples, 1200);
	assert_int_equal(row->total.samples, 1200);
	assert_near(row->total.squares, 30 * 40.0 * 40 / 100);
	assert_int_equal(s.blocks.all.samples, 3000);
	blocks_deinit(&s.blocks);
	assert_int_equal(blocks_count(s.data, QUERY_ALL, BLOCKS_BY_TIME, &s.blocks), 0);
	assert_near(s.blocks.rows[0].total.squares, 30 * 100.0 * 100);
	assert_near(s.blocks.all.squares, 30 * 100.0 * 100);
	diff_side_deinit(&s);
}

/* The last 0.4 s belong to the block before, which then has 1.4 s. */
static void a_short_rest_of_a_recording_is_no_block_of_its_own(void **state)
{
	struct diff_side s;

	(void)state;
	read_side(&s, "a", &usual);
	s.data->summary.duration_ns = 29400000000ull;
	assert_int_equal(blocks_count(s.data, QUERY_ALL, BLOCKS_BY_TIME, &s.blocks), 0);
	assert_int_equal(s.blocks.n_blocks, 29);
	assert_near(s.blocks.all.squares, 28 * 100.0 * 100 + 200 * 200 / 1.4);
	diff_side_deinit(&s);
}

static void a_line_inserted_at_the_top_changes_nothing(void **state)
{
	struct made_diff moved = usual;
	struct compared c;
	char *text;

	(void)state;
	moved.first_line = 2;
	compare(&c, &usual, &moved, DIFF_PER_SAMPLES);
	assert_int_equal(c.diff.n, 3);
	assert_int_equal(c.diff.n_changed, 0);
	for (u32 i = 0; i < c.diff.n; i++) {
		assert_near(c.diff.rows[i].self.after, c.diff.rows[i].self.before);
		assert_near(c.diff.rows[i].total.after, c.diff.rows[i].total.before);
	}
	text = printed(&c.diff, diff_print_text, false);
	assert_prints(text, "no difference: no change of 3 functions is beyond noise\n");
	assert_null(strstr(text, "main"));
	free(text);
	compared_deinit(&c);
}

/* 2.5 is 2.0017 (Student, 58 degrees of freedom) * sqrt((0.6 * 0.4 + 0.7 * 0.3) / 3,000). */
static void a_function_that_rose_is_named_in_every_format(void **state)
{
	struct made_diff slower = usual;
	struct compared c;
	char *text;

	(void)state;
	slower.hot = 70;
	slower.anonymous = 30;
	compare(&c, &usual, &slower, DIFF_PER_SAMPLES);
	assert_value(&row_of(&c.diff, "hot")->self, 60, 70);
	assert_value(&row_of(&c.diff, "hot")->total, 60, 70);
	assert_value(&row_of(&c.diff, "main")->total, 100, 100);
	assert_int_equal(c.diff.n_changed, 2);
	text = printed(&c.diff, diff_print_text, false);
	assert_prints(text, "a.ndjson -> b.ndjson   % of CPU time, before -> after\n");
	assert_prints(text, "2 of 3 functions changed beyond noise\n");
	assert_prints(text,
		      "   60.0 ->   70.0    +10.0 ±2.5*      60.0 ->   70.0    +10.0 ±2.5*   hot "
		      "         /app.js:6\n   40.0 ->   30.0 ");
	assert_null(strstr(text, "main"));
	free(text);
	text = printed(&c.diff, diff_print_markdown, false);
	assert_prints(text, "a.ndjson -> b.ndjson: 2 of 3 functions");
	assert_prints(text,
		      "| 60.0 -> 70.0 | **+10.0 ± 2.5** | 60.0 -> 70.0 | **+10.0 ± 2.5** | hot | "
		      "/app.js:6 |\n");
	free(text);
	text = printed(&c.diff, diff_print_json, false);
	assert_prints(text,
		      "{\"name\":\"hot\",\"where\":\"/app.js:6\",\"where_before\":\"/app.js:6\","
		      "\"self\":{\"before\":60,\"after\":70,\"change\":10,");
	assert_prints(text, "{\"name\":\"main\"");
	free(text);
	text = printed(&c.diff, diff_print_text, true);
	assert_prints(text, "main");
	free(text);
	compared_deinit(&c);
}

static void a_function_of_one_profile_only_rises_from_nothing(void **state)
{
	struct made_diff renamed = usual;
	struct compared c;

	(void)state;
	renamed.hot_name = "hotter";
	compare(&c, &usual, &renamed, DIFF_PER_SAMPLES);
	assert_int_equal(c.diff.n, 4);
	assert_value(&row_of(&c.diff, "hot")->self, 60, 0);
	assert_value(&row_of(&c.diff, "hotter")->self, 0, 60);
	assert_true(row_of(&c.diff, "hotter")->self.is_beyond_noise);
	compared_deinit(&c);
}

/* 60 samples per second at 100 Hz are 600 ms per second; at 200 Hz they are 300 ms. */
static void times_take_the_sampling_rate_into_account(void **state)
{
	struct made_diff faster = usual;
	struct compared c;

	(void)state;
	faster.hz = 200;
	compare(&c, &usual, &faster, DIFF_PER_SECONDS);
	assert_value(&row_of(&c.diff, "hot")->self, 600, 300);
	assert_value(&row_of(&c.diff, "(whole process)")->total, 1000, 500);
	assert_non_null(strstr(c.diff.notes[0], "100 Hz -> 200 Hz"));
	assert_non_null(strstr(c.diff.notes[1], "whole process changed"));
	compared_deinit(&c);
	compare(&c, &usual, &usual, DIFF_PER_UNITS);
	assert_value(&row_of(&c.diff, "hot")->self, 18000.0 / 10, 18000.0 / 20);
	assert_value(&row_of(&c.diff, "(whole process)")->total, 30000.0 / 10, 30000.0 / 20);
	compared_deinit(&c);
}

static void a_profile_without_what_the_comparison_needs_is_refused(void **state)
{
	struct made_diff folded = usual;
	struct compared c = { 0 };

	(void)state;
	folded.hz = 0;
	folded.has_no_times = true;
	compare(&c, &usual, &folded, DIFF_PER_SAMPLES);
	assert_non_null(strstr(c.diff.notes[0], "b.ndjson has no sample times"));
	assert_int_equal(c.diff.n_changed, 0);
	compared_deinit(&c);
	read_side(&c.before, "a.ndjson", &usual);
	read_side(&c.after, "b.ndjson", &folded);
	assert_int_equal(diff_make(&c.before, &c.after, QUERY_ALL, DIFF_PER_SECONDS, &c.diff),
			 -ENODATA);
	compared_deinit(&c);
}

static void short_recordings_are_noted(void **state)
{
	struct made_diff brief = usual;
	struct compared c;

	(void)state;
	brief.seconds = 9;
	compare(&c, &brief, &brief, DIFF_PER_SAMPLES);
	assert_non_null(strstr(c.diff.notes[0], "18 s"));
	assert_null(c.diff.notes[1]);
	compared_deinit(&c);
}

/* hot() rises from 60 % to 70 %, from 600 ms to 700 ms of 1,000 ms. */
static void only_a_rise_beyond_the_threshold_fails(void **state)
{
	struct made_diff slower = usual, bit_slower = usual;
	const struct diff_value *value = NULL;
	const struct diff_row *worst;
	struct compared c;

	(void)state;
	slower.hot = 70;
	slower.anonymous = 30;
	for (enum diff_per per = DIFF_PER_SAMPLES; per <= DIFF_PER_SECONDS; per++) {
		compare(&c, &usual, &slower, per);
		worst = diff_worst(&c.diff, 9.9, &value);
		assert_non_null(worst);
		assert_string_equal(diff_row_name(worst), "hot");
		assert_ptr_equal(value, &worst->self);
		assert_null(diff_worst(&c.diff, 10.1, &value));
		compared_deinit(&c);
		compare(&c, &slower, &usual, per);
		assert_string_equal(diff_row_name(diff_worst(&c.diff, 1, &value)), "(anonymous)");
		compared_deinit(&c);
	}
	bit_slower.hot = 61;
	bit_slower.anonymous = 39;
	compare(&c, &usual, &bit_slower, DIFF_PER_SAMPLES);
	assert_null(diff_worst(&c.diff, 0.1, &value));
	compared_deinit(&c);
}

static void hostile_names_are_escaped(void **state)
{
	struct made_diff hostile = usual;
	struct compared c;
	char *text;

	(void)state;
	hostile.hot_name = "x\\u001b[2J|y\\u202e";
	compare(&c, &usual, &hostile, DIFF_PER_SAMPLES);
	text = printed(&c.diff, diff_print_text, true);
	assert_null(strchr(text, '\x1b'));
	assert_null(strstr(text, "\xe2\x80\xae"));
	free(text);
	text = printed(&c.diff, diff_print_markdown, true);
	assert_null(strchr(text, '\x1b'));
	assert_prints(text, "\\|y");
	free(text);
	text = printed(&c.diff, diff_print_json, true);
	assert_null(strchr(text, '\x1b'));
	free(text);
	compared_deinit(&c);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(blocks_have_the_counts_of_each_second),
	cmocka_unit_test(a_short_rest_of_a_recording_is_no_block_of_its_own),
	cmocka_unit_test(a_line_inserted_at_the_top_changes_nothing),
	cmocka_unit_test(a_function_that_rose_is_named_in_every_format),
	cmocka_unit_test(a_function_of_one_profile_only_rises_from_nothing),
	cmocka_unit_test(times_take_the_sampling_rate_into_account),
	cmocka_unit_test(a_profile_without_what_the_comparison_needs_is_refused),
	cmocka_unit_test(short_recordings_are_noted),
	cmocka_unit_test(only_a_rise_beyond_the_threshold_fails),
	cmocka_unit_test(hostile_names_are_escaped),
};

int main(void)
{
	return CHECK_RUN(tests);
}
