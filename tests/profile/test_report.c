/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests each line of the report, with profiles whose totals are easy to add up by hand. */

#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../loader/report/report.h"
#include "made.h"

#define H "{\"type\":\"header\",\"schema\":1,\"hz\":99}\n"
#define P                                                                                          \
	"{\"type\":\"process\",\"pid\":812,\"name\":\"server.js\",\"runtime\":\"Node.js "          \
	"24.21.0\"}\n"
#define F(id, keys) "{\"type\":\"frame\",\"id\":" id "," keys "}\n"
#define S(id, frames, end) "{\"type\":\"stack\",\"id\":" id ",\"frames\":[" frames "]," end "}\n"
#define N(stack, n)                                                                                \
	"{\"type\":\"samples\",\"pid\":812,\"tid\":812,\"stack\":" stack ",\"count\":" n "}\n"
#define COMPLETE "\"status\":\"complete\""
#define FRAMES                                                                                     \
	F("1", "\"kind\":\"js\",\"name\":\"render\",\"file\":\"/v.js\",\"line\":88")               \
	F("2", "\"kind\":\"js\",\"name\":\"render\",\"file\":\"/v.js\",\"line\":90")               \
	F("3", "\"kind\":\"js\",\"name\":\"main\",\"file\":\"/m.js\",\"line\":1")                  \
	F("4", "\"kind\":\"native\",\"module\":\"/lib/libz.so.1\",\"off\":\"0x1\"")                \
	F("5", "\"kind\":\"native\",\"module\":\"/lib/libz.so.1\",\"off\":\"0x2\"")                \
	F("6", "\"kind\":\"kernel\",\"name\":\"vfs_write\"")

/* 100 samples: 60 in render, which calls itself on line 90; 30 in libz; 10 in the kernel. */
static const char the_profile[] = H P FRAMES S("1", "1,2,2,3", COMPLETE) S("2", "4,5,3", COMPLETE)
	S("3", "6,3", "\"status\":\"truncated\",\"reason\":\"depth limit\"")
		S("4", "2,3", "\"status\":\"failed\",\"reason\":\"fault\"")
			S("5", "6", "\"status\":\"truncated\",\"reason\":\"stale tables\"")
				N("1", "58") N("2", "30") N("3", "8") N("4", "2") N("5", "2");

static const char the_summary[] =
	"{\"type\":\"summary\",\"samples\":100,\"lost\":1234,\"complete\":88,\"guessed\":1,"
	"\"unresolved\":2,\"truncated\":{\"stale tables\":2,\"depth "
	"limit\":8},\"failed\":{\"fault\":2},"
	"\"by_activity\":{\"js\":48,\"gc\":12,\"native\":30,\"kernel\":10},"
	"\"cpu_ns\":1010000000,\"duration_ns\":2000000000}\n";

static int print(const char *text, u32 width, char **out, size_t *len)
{
	const struct report_options options = { .width = width };
	struct prof_reader *in = NULL;
	FILE *f = open_memstream(out, len);
	int r;

	assert_int_equal(prof_reader_new(made_fd(text, strlen(text)), "in", &in), 0);
	r = width ? report_print(f, in, &options) : report_print_stacks(f, in, &options.span);
	fclose(f);
	prof_reader_free(&in);
	return r;
}

/* If this is inlined, gcc 12 warns that the stream's buffer is a dangling pointer. */
static __attribute__((noinline)) char *printed(const char *text, u32 width)
{
	char *out = NULL;
	size_t len;

	assert_int_equal(print(text, width, &out, &len), 0);
	return out;
}

static char *joined(const char *a, const char *b)
{
	char *text;

	assert_true(asprintf(&text, "%s%s", a, b) > 0);
	return text;
}

static void the_report_of_a_finished_recording_uses_the_totals_of_the_summary(void **state)
{
	char *text = joined(the_profile, the_summary), *out = printed(text, 100);

	(void)state;
	assert_string_equal(
		out,
		"server.js  (node 24.21.0, pid 812)   2.0 s  100 samples at 99 Hz   0.51 CPUs\n"
		"JS 48.0 %   GC 12.0 %   native 30.0 %   kernel 10.0 %\n"
		"stacks: complete 88.0 %   truncated 10.0 % (8 depth limit, 2 stale tables)"
		"   failed 2.0 % (2 fault)   guessed 1.0 %   unresolved 2   lost 1,234\n"
		"your code: 60.0 % in render  /v.js\n"
		"    own   total  your code  where\n"
		"  38.0 %  98.0 %  main       /m.js  (native 30.0 %, kernel 8.0 %)\n"
		"  60.0 %  60.0 %    render   /v.js\n"
		"\n"
		"   self   total  function     where\n"
		"  60.0 %  60.0 %  render       /v.js\n"
		"  30.0 %  30.0 %  [libz.so.1]  /lib/libz.so.1\n"
		"  10.0 %  10.0 %  vfs_write    [kernel]\n"
		"   0.0 %  98.0 %  main         /m.js\n");
	free(out);
	free(text);
}

static void the_report_of_an_interrupted_recording_counts_the_sample_lines(void **state)
{
	char *out = printed(the_profile, 100);

	(void)state;
	assert_non_null(strstr(out, "0.0 s  100 samples at 99 Hz   (recording was interrupted)\n"
				    "JS 60.0 %   native 30.0 %   kernel 10.0 %\n"
				    "stacks: complete 88.0 %   truncated 10.0 % (8 depth limit, "
				    "2 stale tables)   failed 2.0 % (2 fault)   lost 0\n"));
	free(out);
}

static void a_share_below_100_percent_is_never_printed_as_100_percent(void **state)
{
	char *out = printed(H P FRAMES S("1", "1", COMPLETE) S("2", "3", COMPLETE)
				    S("3", "3", "\"status\":\"failed\",\"reason\":\"fault\"")
					    N("1", "99999") N("2", "1") N("3", "1"),
			    100);

	(void)state;
	assert_non_null(strstr(out, "complete 99.9 %   truncated 0.0 %   failed 0.1 % (1 fault)"));
	assert_non_null(strstr(out, "\n  99.9 %  99.9 %  render"));
	assert_non_null(strstr(out, "\n   0.1 %   0.1 %  main"));
	free(out);
}

static void the_title_states_the_number_of_other_processes(void **state)
{
	char *out = printed(
		H P FRAMES S("1", "1", COMPLETE) N(
			"1",
			"2") "{\"type\":\"process\",\"pid\":7,\"name\":\"w\"}\n"
			     "{\"type\":\"samples\",\"pid\":7,\"tid\":7,\"stack\":1,\"count\":1}\n",
		100);

	(void)state;
	assert_memory_equal(
		out, "server.js  (node 24.21.0, pid 812, and 1 more)   0.0 s  3 samples", 60);
	free(out);
}

/* Anonymous functions have a row for each line; a named function has one row. */
static void anonymous_functions_are_distinguished_by_line(void **state)
{
	char *out = printed(
		H P F("1", "\"kind\":\"js\",\"name\":\"(anonymous)\",\"file\":\"/v.js\",\"line\":8")
			F("2", "\"kind\":\"js\",\"name\":\"(anonymous)\",\"file\":\"/"
			       "v.js\",\"line\":9") F("3", "\"kind\":\"js\",\"name\":\"a\","
							   "\"file\":\"/v.js\",\"line\":8")
				F("4",
				  "\"kind\":\"js\",\"name\":\"a\",\"file\":\"/v.js\",\"line\":9")
					S("1", "1", COMPLETE) S("2", "2,1", COMPLETE)
						S("3", "3", COMPLETE) S("4", "4", COMPLETE)
							N("1", "40") N("2", "30") N("3", "20")
								N("4", "10"),
		100);

	(void)state;
	assert_string_equal(strstr(out, "   self"), "   self   total  function     where\n"
						    "  40.0 %  70.0 %  (anonymous)  /v.js:8\n"
						    "  30.0 %  30.0 %  (anonymous)  /v.js:9\n"
						    "  30.0 %  30.0 %  a            /v.js\n");
	free(out);
}

/* Two arrow functions on one line are two rows; executed lines do not add rows. */
static void functions_with_the_same_name_are_distinguished_by_their_start(void **state)
{
#define ARROW(id, line, column)                                                                    \
	F(id, "\"kind\":\"js\",\"name\":\"(anonymous)\",\"file\":\"/v.js\",\"line\":" line         \
	      ",\"start_line\":8,\"start_column\":" column)
	char *out = printed(H P ARROW("1", "8", "9") ARROW("2", "9", "9") ARROW("3", "9", "30")
				    S("1", "1", COMPLETE) S("2", "2", COMPLETE)
					    S("3", "3", COMPLETE) N("1", "40") N("2", "20")
						    N("3", "40"),
			    100);

	(void)state;
	assert_string_equal(strstr(out, "   self"), "   self   total  function     where\n"
						    "  60.0 %  60.0 %  (anonymous)  /v.js:8:9\n"
						    "  40.0 %  40.0 %  (anonymous)  /v.js:8:30\n");
	free(out);
}

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static char *lines_of(const char *text, const char *function)
{
	const struct report_options options = {
		.is_question = true, .query = { .by = QUERY_BY_LINE, .function = function }
	};
	struct prof_reader *in = NULL;
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	assert_int_equal(prof_reader_new(made_fd(text, strlen(text)), "in", &in), 0);
	assert_int_equal(report_print(f, in, &options), 0);
	fclose(f);
	prof_reader_free(&in);
	return out;
}

static void sampled_lines_of_a_function_are_printed_together_with_the_source_text(void **state)
{
#define LINE(id, file, line)                                                                       \
	F(id, "\"kind\":\"js\",\"name\":\"f\",\"file\":\"" file "\",\"line\":" line                \
	      ",\"start_line\":2")
	char path[] = "/tmp/unspool-lines-XXXXXX", *text, *out, *want;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	put_file(path, "one\ntwo() {\n\tthree\x1b[31m\n}\n\n\n\n\nnine\n");
	assert_true(asprintf(&text,
			     H P LINE("1", "%s", "3") LINE("2", "%s", "9")
				     LINE("3", "/no/file", "7") S("1", "1", COMPLETE)
					     S("2", "2,1", COMPLETE) S("3", "3", COMPLETE)
						     N("1", "50") N("2", "30") N("3", "20"),
			     path, path) > 0);
	assert_true(asprintf(&want,
			     "f  /no/file\n   self   total    line\n"
			     "  20.0 %%  20.0 %%      7\n\n"
			     "f  %s\n   self   total    line\n"
			     "                      1  one\n"
			     "                      2  two() {\n"
			     "  50.0 %%  80.0 %%      3      three\\x1b[31m\n"
			     "                     ...\n"
			     "  30.0 %%  30.0 %%      9  nine\n",
			     path) > 0);
	out = lines_of(text, "f");
	assert_string_equal(strstr(out, "f  /no"), want);
	unlink(path);
	free(out);
	free(want);
	free(text);
}

static void the_number_of_lost_process_events_is_printed_unless_it_is_0(void **state)
{
	static const char *const summaries[] = {
		"{\"type\":\"summary\",\"samples\":100,\"lost\":1234,\"lost_events\":0}\n",
		"{\"type\":\"summary\",\"samples\":100,\"lost\":1234,\"lost_events\":3}\n",
	};
	static const char *const ends[] = { "   lost 1,234\n",
					    "   lost 1,234   3 process events lost\n" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		char *text = joined(the_profile, summaries[i]), *out = printed(text, 100);

		assert_non_null(strstr(out, ends[i]));
		free(out);
		free(text);
	}
}

static void missing_unwind_rows_are_reported(void **state)
{
	static const struct {
		const char *rows, *line;
	} cases[] = {
		{ "{}", "lost 0\nyour code" },
		{ "{\"budget\":1024,\"pages\":7,\"rows\":8}", "lost 0\nyour code" },
		{ "{\"evicted\":1234,\"refetched\":5}",
		  "lost 0\npages of unwind rows: 1,234 evicted, 5 read again; raise --max-memory\n"
		  "your code" },
		{ "{\"refused\":1}",
		  "lost 0\npages of unwind rows: 1 not loaded for lack of memory; "
		  "raise --max-memory\nyour code" },
		{ "{\"failed\":2}",
		  "lost 0\npages of unwind rows: 2 of unreadable files\nyour code" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text, *out;

		assert_true(asprintf(&text,
				     "%s{\"type\":\"summary\",\"samples\":100,\"rows\":%s}\n",
				     the_profile, cases[i].rows) > 0);
		out = printed(text, 100);
		if (!strstr(out, cases[i].line))
			fail_msg("%s gives %s", cases[i].rows, out);
		free(out);
		free(text);
	}
}

static void translated_code_without_a_source_map_is_reported_if_it_is_frequent(void **state)
{
	static const char format[] =
		"{\"type\":\"header\",\"schema\":1,\"hz\":99}\n"
		"{\"type\":\"frame\",\"id\":1,\"kind\":\"js\",\"name\":\"f\",\"file\":\"/srv/"
		"a.ts\","
		"\"generated_file\":\"/srv/a.ts\",\"reason\":\"no source map\"}\n"
		"{\"type\":\"frame\",\"id\":2,\"kind\":\"js\",\"name\":\"g\",\"file\":\"/srv/"
		"b.js\"}\n"
		"{\"type\":\"stack\",\"id\":1,\"frames\":[1,2],\"status\":\"complete\"}\n"
		"{\"type\":\"stack\",\"id\":2,\"frames\":[2],\"status\":\"complete\"}\n"
		"{\"type\":\"samples\",\"pid\":1,\"tid\":1,\"stack\":1,\"count\":1,\"t\":[1]}\n"
		"{\"type\":\"samples\",\"pid\":1,\"tid\":1,\"stack\":2,\"count\":%u,"
		"\"t\":[1%s]}\n";
	static const char line[] = "10.0 % of the samples have functions without source lines: "
				   "/srv/a.ts was translated when it was loaded, without a source "
				   "map\n";

	(void)state;
	for (u32 others = 9; others < 11; others++) {
		char times[64] = "", *text, *out;

		for (u32 i = 1; i < others; i++)
			strcat(times, ",1");
		assert_true(asprintf(&text, format, others, times) > 0);
		out = printed(text, 100);
		assert_int_equal(strstr(out, line) != NULL, others == 9);
		assert_int_equal(strstr(out, "source map") != NULL, others == 9);
		free(out);
		free(text);
	}
}

static void only_the_functions_with_the_most_time_are_printed(void **state)
{
	char *text = NULL, *out, *line;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	u32 n = 0;

	(void)state;
	fputs(H P, f);
	for (u32 i = 1; i <= 40; i++)
		fprintf(f,
			F("%u", "\"kind\":\"js\",\"name\":\"f%u\"") S("%u", "%u", COMPLETE)
				N("%u", "%u"),
			i, i, i, i, i, i);
	fclose(f);
	out = printed(text, 100);
	for (line = out; line; line = strchr(line + 1, '\n'))
		n++;
	assert_int_equal(n - 1, 5 + 25);
	assert_non_null(strstr(out, "  f40"));
	assert_non_null(strstr(out, "  f16"));
	assert_null(strstr(out, "  f15"));
	free(out);
	free(text);
}

static u32 widest_line(const char *text)
{
	u32 widest = 0, now = 0;

	for (; *text; text++) {
		now = *text == '\n' ? 0 : now + ((*text & 0xc0) != 0x80);
		widest = now > widest ? now : widest;
	}
	return widest;
}

static void long_names_and_paths_are_cut_to_fit_the_width_but_line_numbers_are_kept(void **state)
{
	const char *text = H P F(
		"1",
		"\"name\":\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\",\"file\":"
		"\"/a/very/long/path/to/some/folder/far/away/from/root/view.js\",\"start_line\":88")
		S("1", "1", COMPLETE) N("1", "1");
	char *out = printed(text, 70), *table = strstr(out, "   self");

	(void)state;
	assert_int_equal(widest_line(table), 70);
	assert_non_null(strstr(table, "abcdefghijklmnopqrstuvwx\xe2\x80\xa6  \xe2\x80\xa6"));
	assert_non_null(strstr(table, "from/root/view.js:88\n"));
	assert_true(widest_line("aaa\nbbbb\n") == 4);
	free(out);
}

static bool is_harmless(const char *text)
{
	for (; *text; text++) {
		if (((u8)*text < 0x20 && *text != '\n') || *text == 0x7f)
			return false;
	}
	return true;
}

static void control_characters_in_names_do_not_reach_the_terminal(void **state)
{
	const char *text =
		H P F("1", "\"name\":\"\\u001b[31mred\\u202egnp\",\"file\":\"/srv/\\u009b.js\"")
			S("1", "1", COMPLETE) N("1", "1");
	char *out, *bidi;

	(void)state;
	out = printed(text, 100);
	assert_true(is_harmless(out));
	bidi = strstr(out, "\xe2\x80\xae");
	assert_null(bidi);
	assert_non_null(strstr(out, "\\x1b[31mred"));
	assert_non_null(strstr(out, "\\u202egnp"));
	free(out);
	out = printed(text, 0);
	assert_true(is_harmless(out));
	assert_null(strstr(out, "\xe2\x80\xae"));
	assert_false(is_harmless("\x1b[31m"));
	free(out);
}

static void each_stack_in_the_json_report_contains_its_frames_and_their_names(void **state)
{
	char *out = printed(
		H P "{\"type\":\"thread\",\"pid\":812,\"tid\":812,\"name\":\"main\"}\n" FRAMES S(
			"1", "1,3", COMPLETE)
			S("2", "6", "\"status\":\"failed\",\"reason\":\"fault\"") N("1", "2")
				N("2", "1") N("1", "3"),
		0);

	(void)state;
	assert_string_equal(out,
			    "{\"process\":\"server.js\",\"pid\":812,\"tid\":812,\"thread\":"
			    "\"main\",\"count\":5,"
			    "\"status\":\"complete\",\"frames\":["
			    "{\"kind\":\"js\",\"name\":\"render\",\"file\":\"/v.js\",\"line\":88},"
			    "{\"kind\":\"js\",\"name\":\"main\",\"file\":\"/m.js\",\"line\":1}]}\n"
			    "{\"process\":\"server.js\",\"pid\":812,\"tid\":812,\"thread\":"
			    "\"main\",\"count\":1,"
			    "\"status\":\"failed\",\"reason\":\"fault\",\"frames\":["
			    "{\"kind\":\"kernel\",\"name\":\"vfs_write\"}]}\n");
	free(out);
}

static void the_report_of_a_profile_without_samples_is_a_title_and_an_error(void **state)
{
	char *out = NULL;
	size_t len;

	(void)state;
	assert_int_equal(print(H, 100, &out, &len), -ENODATA);
	assert_memory_equal(out, "no process   0.0 s  0 samples at 99 Hz", 38);
	free(out);
	assert_int_equal(print(H "x\n", 100, &out, &len), -EBADMSG);
	assert_int_equal(len, 0);
	free(out);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_report_of_a_finished_recording_uses_the_totals_of_the_summary),
	cmocka_unit_test(the_report_of_an_interrupted_recording_counts_the_sample_lines),
	cmocka_unit_test(a_share_below_100_percent_is_never_printed_as_100_percent),
	cmocka_unit_test(the_title_states_the_number_of_other_processes),
	cmocka_unit_test(anonymous_functions_are_distinguished_by_line),
	cmocka_unit_test(functions_with_the_same_name_are_distinguished_by_their_start),
	cmocka_unit_test(sampled_lines_of_a_function_are_printed_together_with_the_source_text),
	cmocka_unit_test(the_number_of_lost_process_events_is_printed_unless_it_is_0),
	cmocka_unit_test(missing_unwind_rows_are_reported),
	cmocka_unit_test(translated_code_without_a_source_map_is_reported_if_it_is_frequent),
	cmocka_unit_test(only_the_functions_with_the_most_time_are_printed),
	cmocka_unit_test(long_names_and_paths_are_cut_to_fit_the_width_but_line_numbers_are_kept),
	cmocka_unit_test(control_characters_in_names_do_not_reach_the_terminal),
	cmocka_unit_test(each_stack_in_the_json_report_contains_its_frames_and_their_names),
	cmocka_unit_test(the_report_of_a_profile_without_samples_is_a_title_and_an_error),
};

int main(void)
{
	return CHECK_RUN(tests);
}
