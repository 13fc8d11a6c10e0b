/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the formats of viewers on small profiles. tests/formats reads these formats with the
 * viewers' own programs.
 */

#include "../check.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "../../loader/out/out.h"
#include "made.h"

static const struct out_format *const viewers[] = { &out_pprof,	     &out_speedscope,  &out_firefox,
						    &out_cpuprofile, &out_perf_script, &out_svg };
#define N_VIEWERS (sizeof(viewers) / sizeof(*viewers))

#define HEAD(hz)                                                                                   \
	"{\"type\":\"header\",\"schema\":1,\"hz\":" #hz ",\"start\":\"2026-01-02T03:04:05.5Z\"}\n"
#define PROCESS(pid, name) "{\"type\":\"process\",\"pid\":" #pid ",\"name\":\"" name "\"}\n"
#define FRAME(id, keys) "{\"type\":\"frame\",\"id\":" #id "," keys "}\n"
#define STACK(id, frames)                                                                          \
	"{\"type\":\"stack\",\"id\":" #id ",\"frames\":[" frames "],\"status\":\"complete\"}\n"
#define SAMPLES(pid, tid, stack, n, rest)                                                          \
	"{\"type\":\"samples\",\"pid\":" #pid ",\"tid\":" #tid ",\"stack\":" #stack                \
	",\"count\":" #n rest "}\n"
#define TIMES(t) ",\"t\":[" t "]"
#define GC ",\"labels\":{\"activity\":\"gc\"}"

static const char two_functions[] = HEAD(100) PROCESS(8, "app.js") FRAME(
	1, "\"kind\":\"js\",\"name\":\"leaf\",\"file\":\"/srv/a b.js\",\"line\":12,"
	   "\"start_line\":10,\"start_column\":3,\"tier\":\"maglev\"")
	FRAME(2, "\"kind\":\"js\",\"name\":\"(anonymous)\",\"file\":\"/srv/app.js\",\"line\":2,"
		 "\"start_line\":1,\"start_column\":1")
		FRAME(3, "\"kind\":\"native\",\"module\":\"/lib/lib "
			 "z.so\",\"off\":\"0x1f\",\"build_id\":\"ab\"")
			FRAME(4, "\"kind\":\"kernel\",\"name\":\"vfs_write\"") STACK(1, "1,2")
				STACK(2, "4,3,1,2") "{\"type\":\"stack\",\"id\":3,\"frames\":[1],"
						    "\"status\":\"truncated\",\"reason\":\"no "
						    "row\"}\n";

static struct prof_reader *reader_of(const char *text)
{
	struct prof_reader *r = NULL;

	assert_int_equal(prof_reader_new(made_fd(text, strlen(text)), "in", &r), 0);
	return r;
}

/* Converts a profile. Returns NULL, and the error in @error, if it can't be converted. */
static char *converted(const struct out_format *format, const char *text, size_t *len, char *error,
		       size_t size)
{
	struct prof_reader *in = reader_of(text);
	char *out = NULL;
	FILE *f = open_memstream(&out, len);
	int err = format->write(in, f);

	fclose(f);
	snprintf(error, size, "%s", prof_reader_error(in));
	prof_reader_free(&in);
	if (err < 0) {
		free(out);
		out = NULL;
	}
	return out;
}

static char *text_of(const struct out_format *format, const char *text)
{
	char error[600];
	size_t len;
	char *out = converted(format, text, &len, error, sizeof(error));

	if (!out)
		fail_msg("%s: %s", format->name, error);
	return out;
}

/* Converts to a format of JSON, which may be compressed. */
static json_t *json_of(const struct out_format *format, const char *text)
{
	static u8 plain[1 << 20];
	z_stream z = { .next_out = plain, .avail_out = sizeof(plain) };
	char error[600];
	size_t len;
	char *out = converted(format, text, &len, error, sizeof(error));
	json_t *json;

	assert_non_null(out);
	if (out[0] == '\x1f') {
		z.next_in = (u8 *)out;
		z.avail_in = (u32)len;
		assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
		assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
		inflateEnd(&z);
		json = json_loadb((char *)plain, z.total_out, 0, NULL);
	} else {
		json = json_loads(out, 0, NULL);
	}
	free(out);
	assert_non_null(json);
	return json;
}

/* Follows a path such as "threads.0.name". */
static json_t *at(json_t *json, const char *path)
{
	char *copy = strdup(path), *rest = copy, *key;

	while (json && (key = strsep(&rest, ".")))
		json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10))
					   : json_object_get(json, key);
	free(copy);
	return json;
}

static void assert_json(json_t *json, const char *path, const char *want)
{
	char *got = json_dumps(at(json, path), JSON_COMPACT | JSON_ENCODE_ANY);

	if (!got || strcmp(got, want))
		fail_msg("%s: %s, not %s", path, got, want);
	free(got);
}

static void a_profile_without_samples_is_not_converted(void **state)
{
	char error[600];
	size_t len;

	(void)state;
	for (size_t i = 0; i < N_VIEWERS; i++) {
		assert_null(converted(viewers[i], two_functions, &len, error, sizeof(error)));
		assert_string_equal(error,
				    "in:9: the profile has no samples, so nothing is written");
	}
}

static void a_profile_of_a_newer_schema_is_refused(void **state)
{
	char error[600];
	size_t len;

	(void)state;
	for (size_t i = 0; i < N_VIEWERS; i++) {
		assert_null(converted(viewers[i], "{\"type\":\"header\",\"schema\":2,\"hz\":99}\n",
				      &len, error, sizeof(error)));
		assert_string_equal(error,
				    "in:1: unknown schema version; a newer unspool may be able "
				    "to read the profile");
	}
}

static void a_full_disk_is_an_error_and_leaves_no_file(void **state)
{
	char *text;

	(void)state;
	assert_true(asprintf(&text, "%s%s", two_functions, SAMPLES(8, 8, 1, 1, TIMES("5"))) > 0);
	for (size_t i = 0; i < N_VIEWERS; i++) {
		struct prof_reader *in = reader_of(text);

		assert_int_equal(out_write_file(viewers[i], in, "/dev/full", OUT_OWNER_SELF),
				 -ENOSPC);
		prof_reader_free(&in);
	}
	free(text);
}

static void the_text_of_perf_script_has_an_event_for_each_sample(void **state)
{
	char *text, *out;

	(void)state;
	assert_true(asprintf(&text, "%s%s%s%s", two_functions,
			     SAMPLES(8, 9, 2, 2, TIMES("1500000,10000")),
			     SAMPLES(8, 8, 1, 1, TIMES("1505000")), SAMPLES(8, 8, 3, 3, "")) > 0);
	out = text_of(&out_perf_script, text);
	assert_string_equal(out, "app.js 8/9 1.500000: 1 cpu-clock:\n"
				 "\t0 vfs_write ([kernel.kallsyms])\n"
				 "\t1f [unknown] (/lib/lib_z.so)\n"
				 "\t0 leaf /srv/a b.js:10 (js)\n"
				 "\t0 <anonymous> /srv/app.js:1 (js)\n"
				 "\n"
				 "app.js 8/8 1.505000: 1 cpu-clock:\n"
				 "\t0 leaf /srv/a b.js:10 (js)\n"
				 "\t0 <anonymous> /srv/app.js:1 (js)\n"
				 "\n"
				 "app.js 8/9 1.510000: 1 cpu-clock:\n"
				 "\t0 vfs_write ([kernel.kallsyms])\n"
				 "\t1f [unknown] (/lib/lib_z.so)\n"
				 "\t0 leaf /srv/a b.js:10 (js)\n"
				 "\t0 <anonymous> /srv/app.js:1 (js)\n"
				 "\n"
				 "app.js 8/8 1.515000: 3 cpu-clock:\n"
				 "\t0 leaf /srv/a b.js:10 (js)\n"
				 "\t0 [truncated: no row] (unspool)\n"
				 "\n");
	free(out);
	free(text);
}

static void speedscope_merges_consecutive_samples_of_a_thread(void **state)
{
	char *text;
	json_t *json;

	(void)state;
	assert_true(asprintf(&text, "%s%s%s%s", two_functions,
			     SAMPLES(8, 8, 1, 3, TIMES("1000,10000,30000")),
			     SAMPLES(8, 9, 1, 5, TIMES("5000,1,1,1,1")),
			     SAMPLES(8, 8, 2, 1, TIMES("20000"))) > 0);
	json = json_of(&out_speedscope, text);
	assert_json(json, "profiles.0.name", "\"app.js (pid 8): main thread (tid 8)\"");
	assert_json(json, "profiles.0.samples", "[[1,0],[1,0,2,3],[1,0]]");
	assert_json(json, "profiles.0.weights", "[20000000,10000000,10000000]");
	assert_json(json, "profiles.0.unit", "\"nanoseconds\"");
	assert_json(json, "profiles.0.endValue", "40000000");
	assert_json(json, "profiles.1.weights", "[50000000]");
	assert_json(json, "activeProfileIndex", "1");
	assert_json(json, "shared.frames.0",
		    "{\"name\":\"leaf\",\"file\":\"/srv/a b.js\",\"line\":10,\"col\":3}");
	json_decref(json);
	free(text);
}

static void a_thread_of_a_cpuprofile_is_idle_between_samples(void **state)
{
	char *text;
	json_t *json;

	(void)state;
	assert_true(asprintf(&text, "%s%s%s", two_functions,
			     SAMPLES(8, 8, 1, 3, TIMES("2000,10000,30000")),
			     SAMPLES(8, 9, 1, 1, TIMES("5000"))) > 0);
	json = json_of(&out_cpuprofile, text);
	assert_json(json, "samples", "[4,4,2,4]");
	assert_json(json, "timeDeltas", "[2000,10000,10000,20000]");
	assert_json(json, "startTime", "1767323045500000");
	assert_json(json, "endTime", "1767323045552000");
	assert_json(json, "nodes.0.children", "[2,3]");
	assert_json(json, "nodes.1.hitCount", "1");
	assert_json(json, "nodes.2.callFrame",
		    "{\"functionName\":\"\",\"scriptId\":\"0\",\"url\":\"file:///srv/app.js\","
		    "\"lineNumber\":0,\"columnNumber\":0}");
	assert_json(
		json, "nodes.3.callFrame",
		"{\"functionName\":\"leaf\",\"scriptId\":\"0\",\"url\":\"file:///srv/a%20b.js\","
		"\"lineNumber\":9,\"columnNumber\":2}");
	assert_json(json, "nodes.3.hitCount", "3");
	assert_json(json, "nodes.3.positionTicks", "[{\"line\":12,\"ticks\":3}]");
	json_decref(json);
	free(text);
}

static void with_percent_t_each_thread_gets_a_cpuprofile(void **state)
{
	char *text, *path = made_path("a.%t.cpuprofile"), *dir = strdup(path);
	struct prof_reader *in;

	(void)state;
	*strrchr(dir, '/') = 0;
	/* After exec, the samples of thread 8 belong to another process. */
	assert_true(asprintf(&text, "%s%s%s%s%s", two_functions, SAMPLES(8, 8, 1, 1, TIMES("1000")),
			     SAMPLES(8, 9, 1, 1, TIMES("5000")), PROCESS(8, "other"),
			     SAMPLES(8, 8, 1, 1, TIMES("90000"))) > 0);
	in = reader_of(text);
	assert_int_equal(out_write_file(&out_cpuprofile, in, path, OUT_OWNER_SELF), 0);
	prof_reader_free(&in);
	assert_int_equal(chdir(dir), 0);
	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = { "a.8.cpuprofile", "a.8-2.cpuprofile",
						     "a.9.cpuprofile" };
		struct stat st;

		assert_int_equal(stat(names[i], &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
	}
	assert_int_equal(chdir("/"), 0);
	made_remove(path);
	free(dir);
	free(text);
}

static void garbage_collection_is_a_marker_of_the_firefox_profiler(void **state)
{
	char *text;
	json_t *json;

	(void)state;
	assert_true(asprintf(&text, "%s%s%s", two_functions,
			     SAMPLES(8, 8, 2, 4, TIMES("1000,10000,10000,90000") GC),
			     SAMPLES(8, 8, 1, 1, TIMES("131000"))) > 0);
	json = json_of(&out_firefox, text);
	assert_json(json, "meta.preprocessedProfileVersion", "55");
	assert_json(json, "meta.startTime", "1767323045500");
	assert_json(json, "meta.interval", "10");
	assert_json(json, "threads.0.samples.time", "[1,11,21,111,131]");
	assert_json(json, "threads.0.samples.stack", "[3,3,3,3,1]");
	assert_json(json, "threads.0.stackTable.prefix", "[null,0,1,2]");
	assert_json(json, "threads.0.frameTable.category", "[1,1,6,7]");
	assert_json(json, "threads.0.frameTable.line", "[2,12,null,null]");
	assert_json(json, "threads.0.frameTable.address", "[-1,-1,31,-1]");
	assert_json(json, "threads.0.funcTable.resource", "[-1,-1,0,-1]");
	assert_json(json, "threads.0.funcTable.lineNumber", "[1,10,null,null]");
	assert_json(json, "threads.0.markers.startTime", "[1,111]");
	assert_json(json, "threads.0.markers.endTime", "[31,121]");
	assert_json(json, "threads.0.markers.data.0", "{\"type\":\"Activity\",\"samples\":3}");
	assert_json(json, "threads.0.isMainThread", "true");
	assert_json(json, "libs.0.codeId", "\"ab\"");
	json_decref(json);
	free(text);
}

static void the_boxes_of_a_flame_graph_are_as_wide_as_their_samples(void **state)
{
	char *text, *out;

	(void)state;
	assert_true(asprintf(&text, "%s%s%s%s", two_functions,
			     SAMPLES(8, 8, 1, 4, TIMES("1,2,3,4")),
			     SAMPLES(8, 8, 3, 2, TIMES("5,6")),
			     STACK(4, "4") SAMPLES(8, 8, 4, 2, TIMES("7,8"))) > 0);
	out = text_of(&out_svg, text);
	assert_non_null(strstr(out, "<title>all, 8 samples, 100.00 %</title>"
				    "<rect x=\"10.00\" y=\"74\" width=\"1180.00\""));
	assert_non_null(strstr(out, "<title>leaf (/srv/a b.js:10), 4 samples, 50.00 %</title>"
				    "<rect x=\"10.00\" y=\"40\" width=\"590.00\""));
	assert_non_null(strstr(out, "<title>[truncated: no row], 2 samples, 25.00 %</title>"
				    "<rect x=\"600.00\" y=\"57\" width=\"295.00\""));
	assert_non_null(strstr(out, "<title>vfs_write ([kernel]), 2 samples, 25.00 %</title>"
				    "<rect x=\"895.00\" y=\"57\" width=\"295.00\""));
	free(out);
	free(text);
}

static void markup_in_names_is_escaped_in_a_flame_graph(void **state)
{
	char *out = text_of(&out_svg, HEAD(100) FRAME(1, "\"name\":\"<a&b>\\u0007\"") STACK(1, "1")
					      SAMPLES(8, 8, 1, 1, TIMES("1")));

	(void)state;
	assert_non_null(strstr(out, "<title>&lt;a&amp;b&gt;? ([unknown]), 1 samples"));
	free(out);
}

struct omission_row {
	const struct out_format *format;
	const char *path, *samples, *text;
};

static const struct omission_row omission_rows[] = {
	{ &out_ndjson, "x.ndjson", SAMPLES(8, 8, 1, 1, TIMES("5")), NULL },
	{ &out_pprof, "x.pb.gz", SAMPLES(8, 8, 1, 1, ""), NULL },
	{ &out_pprof, "x.pb.gz", SAMPLES(8, 8, 1, 1, TIMES("5")),
	  "x.pb.gz does not hold the times of the profile; .ndjson does" },
	{ &out_svg, "-", SAMPLES(8, 8, 1, 1, TIMES("5")) SAMPLES(8, 9, 1, 1, TIMES("5") GC),
	  "the output does not hold the times, threads, activities, executed lines, tiers and "
	  "build "
	  "ids of the profile; .ndjson does" },
	{ &out_cpuprofile, "x", SAMPLES(8, 8, 1, 1, TIMES("5")) SAMPLES(7, 8, 1, 1, TIMES("5")),
	  "x does not hold the threads, tiers and build ids of the profile; .ndjson does; it has "
	  "the "
	  "thread with the most samples; with %t in its name, each thread gets a file" },
	{ &out_cpuprofile, "%t", SAMPLES(8, 8, 1, 1, TIMES("5")) SAMPLES(7, 8, 1, 1, TIMES("5")),
	  "%t does not hold the tiers and build ids of the profile; .ndjson does" },
};

static void the_parts_that_a_format_omits_are_listed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(omission_rows) / sizeof(*omission_rows); i++) {
		const struct omission_row *row = &omission_rows[i];
		struct prof_record record;
		struct prof_reader *in;
		char *profile, text[512];

		assert_true(asprintf(&profile, "%s%s", two_functions, row->samples) > 0);
		in = reader_of(profile);
		while (prof_reader_next(in, &record) == 1)
			;
		if (out_omissions(row->format, in, row->path, text, sizeof(text)))
			assert_string_equal(text, row->text);
		else
			assert_null(row->text);
		prof_reader_free(&in);
		free(profile);
	}
}

static void a_changed_byte_of_a_profile_crashes_no_format(void **state)
{
	const struct made made = {
		.n_processes = 3, .n_samples = 20, .finished = true, .brief = true
	};
	u32 n_converted = 0;
	char *text, error[600];
	size_t len, out_len;

	(void)state;
	text = made_bytes(&made, &len);
	for (size_t i = 0; i < len; i += 11) {
		char before = text[i];

		text[i] = (char)("0{[\"9:,\x80"[i % 8]);
		for (size_t k = 0; k < N_VIEWERS; k++) {
			char *out = converted(viewers[k], text, &out_len, error, sizeof(error));

			n_converted += out != NULL;
			free(out);
		}
		text[i] = before;
	}
	assert_true(n_converted > N_VIEWERS * 10);
	free(text);
}

static const char *yes(u32 holds, u32 feature)
{
	return holds & 1u << feature ? "yes" : "no";
}

static void the_table_in_the_documentation_lists_what_the_formats_hold(void **state)
{
	size_t len;
	char *page = made_slurp(FORMATS_PAGE, &len);

	(void)state;
	assert_non_null(strstr(page,
			       "| | pprof | speedscope | firefox | cpuprofile | perf-script | svg "
			       "| folded |\n"));
	for (u32 i = 0; i < PROF_N_FEATURES; i++) {
		char row[256];
		size_t n = (size_t)snprintf(row, sizeof(row), "\n| %s |", prof_feature_words(i));

		for (size_t k = 0; k < N_VIEWERS; k++)
			n += (size_t)snprintf(row + n, sizeof(row) - n, " %s |",
					      yes(viewers[k]->holds, i));
		snprintf(row + n, sizeof(row) - n, " %s |\n", yes(out_folded.holds, i));
		if (!strstr(page, row))
			fail_msg("missing: %s", row);
	}
	free(page);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_profile_without_samples_is_not_converted),
	cmocka_unit_test(a_profile_of_a_newer_schema_is_refused),
	cmocka_unit_test(a_full_disk_is_an_error_and_leaves_no_file),
	cmocka_unit_test(the_text_of_perf_script_has_an_event_for_each_sample),
	cmocka_unit_test(speedscope_merges_consecutive_samples_of_a_thread),
	cmocka_unit_test(a_thread_of_a_cpuprofile_is_idle_between_samples),
	cmocka_unit_test(with_percent_t_each_thread_gets_a_cpuprofile),
	cmocka_unit_test(garbage_collection_is_a_marker_of_the_firefox_profiler),
	cmocka_unit_test(the_boxes_of_a_flame_graph_are_as_wide_as_their_samples),
	cmocka_unit_test(markup_in_names_is_escaped_in_a_flame_graph),
	cmocka_unit_test(a_changed_byte_of_a_profile_crashes_no_format),
	cmocka_unit_test(the_parts_that_a_format_omits_are_listed),
	cmocka_unit_test(the_table_in_the_documentation_lists_what_the_formats_hold),
};

int main(void)
{
	signal(SIGXFSZ, SIG_IGN);
	return CHECK_RUN(tests);
}
