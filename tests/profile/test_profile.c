/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests the writer; the lines are parsed by jansson, which is independent of it. */

#include "../check.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "../../loader/profile/profile.h"

static const struct prof_header header = {
	.start_unix_ns = 1700000000ull * 1000000000 + 7,
	.start_boottime_ns = 5,
	.arch = "x86_64",
	.kernel = "6.1.0",
	.hz = 99,
};

struct fixture {
	FILE *out;
	struct profile *p;
};

static struct fixture open_fixture(void)
{
	struct fixture f = { .out = tmpfile() };

	assert_non_null(f.out);
	assert_int_equal(profile_new(&f.p, f.out, &header), 0);
	return f;
}

/* Returns all lines as an array of objects. The test fails if a line is not JSON. */
static json_t *lines_of(FILE *f)
{
	json_t *lines = json_array();
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	rewind(f);
	while ((n = getline(&line, &room, f)) > 0) {
		json_error_t e;
		json_t *o = json_loadb(line, (size_t)n, JSON_REJECT_DUPLICATES, &e);

		if (!o)
			fail_msg("no JSON: %s: %.200s", e.text, line);
		assert_int_equal(line[n - 1], '\n');
		json_array_append_new(lines, o);
	}
	free(line);
	return lines;
}

static json_t *close_fixture(struct fixture *f)
{
	json_t *lines = lines_of(f->out);

	profile_free(&f->p);
	fclose(f->out);
	return lines;
}

static bool is_type(json_t *line, const char *type)
{
	return strcmp(json_string_value(json_object_get(line, "type")), type) == 0;
}

static json_t *nth(json_t *lines, const char *type, u32 n)
{
	json_t *line;
	size_t i;

	json_array_foreach(lines, i, line)
	{
		if (is_type(line, type) && n-- == 0)
			return line;
	}
	return NULL;
}

static const char *str(json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static long long num(json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static u32 add_frame(struct profile *p, enum prof_kind kind, const char *name)
{
	u32 id = 0;

	assert_int_equal(profile_frame(p, &(struct prof_frame){ .kind = kind, .name = name }, &id),
			 0);
	return id;
}

static u32 add_stack(struct profile *p, const u32 *frames, u32 n, enum uw_status status)
{
	u32 id = 0;

	assert_int_equal(profile_stack(p, &(struct prof_stack){ frames, n, status }, &id), 0);
	return id;
}

static void two_frames_that_differ_in_any_member_have_different_ids(void **state)
{
	static const struct prof_frame frames[] = {
		{ .kind = PROF_JS, .name = "f" },
		{ .kind = PROF_NATIVE, .name = "f" },
		{ .kind = PROF_JS, .name = "g" },
		{ .kind = PROF_JS, .name = "f", .file = "a.js" },
		{ .kind = PROF_JS, .name = "f", .module = "a.js" },
		{ .kind = PROF_JS, .name = "f", .line = 1 },
		{ .kind = PROF_JS, .name = "f", .column = 1 },
		{ .kind = PROF_JS, .name = "f", .start_line = 1 },
		{ .kind = PROF_JS, .name = "f", .start_column = 1 },
		{ .kind = PROF_JS, .name = "f", .generated_file = "a.js" },
		{ .kind = PROF_JS, .name = "f", .generated_line = 1 },
		{ .kind = PROF_JS, .name = "f", .generated_column = 1 },
		{ .kind = PROF_JS, .name = "f", .deferred = 1 },
		{ .kind = PROF_JS, .name = "f", .ignored = true },
		{ .kind = PROF_JS, .name = "f", .build_id = "12" },
		{ .kind = PROF_JS, .name = "f", .has_off = true },
		{ .kind = PROF_JS, .name = "f", .has_off = true, .off = 1 },
		{ .kind = PROF_JS, .name = "f", .start_off = 1 },
		{ .kind = PROF_JS, .name = "f", .addr = 1 },
		{ .kind = PROF_JS, .name = "f", .tier = "x" },
		{ .kind = PROF_JS, .name = "f", .reason = "x" },
		{ .kind = PROF_JS, .name = "f", .inlined = true },
		{ .kind = PROF_JS, .name = "f", .async = true },
		{ .kind = PROF_JS, .name = "f", .guess = true },
		{ .kind = PROF_JS, .name = "" },
		{ .kind = PROF_JS },
	};
	struct fixture f = open_fixture();

	(void)state;
	for (u32 round = 0; round < 2; round++) {
		for (u32 i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
			u32 id = 0;

			assert_int_equal(profile_frame(f.p, &frames[i], &id), 0);
			assert_int_equal(id, i + 1);
		}
	}
	json_decref(close_fixture(&f));
}

static void the_header_of_a_profile_contains_start_time_machine_and_sampling_rate(void **state)
{
	struct fixture f = open_fixture();
	json_t *lines, *h;

	(void)state;
	assert_int_equal(profile_flush(f.p), 0);
	lines = close_fixture(&f);
	h = nth(lines, "header", 0);
	assert_int_equal(json_array_size(lines), 1);
	assert_int_equal(num(h, "schema"), 1);
	assert_string_equal(str(h, "start"), "2023-11-14T22:13:20.000000007Z");
	assert_string_equal(str(h, "mode"), "cpu");
	assert_int_equal(num(h, "hz"), 99);
	assert_null(json_object_get(h, "command"));
	json_decref(lines);
}

static void a_frame_or_stack_that_equals_an_earlier_one_is_not_written_again(void **state)
{
	struct fixture f = open_fixture();
	u32 a = add_frame(f.p, PROF_JS, "a"), b = add_frame(f.p, PROF_JS, "b");
	u32 s = add_stack(f.p, (u32[]){ a, b }, 2, UW_END);
	json_t *lines;

	(void)state;
	assert_int_equal(add_frame(f.p, PROF_JS, "a"), a);
	assert_int_not_equal(add_frame(f.p, PROF_NATIVE, "a"), a);
	assert_int_equal(add_stack(f.p, (u32[]){ a, b }, 2, UW_END), s);
	assert_int_not_equal(add_stack(f.p, (u32[]){ b, a }, 2, UW_END), s);
	assert_int_not_equal(add_stack(f.p, (u32[]){ a, b }, 2, UW_E_FAULT), s);
	lines = close_fixture(&f);
	assert_string_equal(str(nth(lines, "frame", 2), "kind"), "native");
	assert_null(nth(lines, "frame", 3));
	assert_string_equal(str(nth(lines, "stack", 0), "status"), "complete");
	assert_null(json_object_get(nth(lines, "stack", 0), "reason"));
	assert_string_equal(str(nth(lines, "stack", 2), "reason"), "fault");
	assert_null(nth(lines, "stack", 3));
	json_decref(lines);
}

/* Frames that differ in a single member are different frames. */
static void two_frames_are_equal_only_if_every_member_is_equal(void **state)
{
	const struct prof_frame rows[] = {
		{ .name = "" },
		{ .name = "n" },
		{ .file = "n" },
		{ .module = "n" },
		{ .build_id = "n" },
		{ .tier = "n" },
		{ .reason = "n" },
		{ .line = 1 },
		{ .column = 1 },
		{ .has_off = true },
		{ .has_off = true, .off = 1 },
		{ .start_off = 1 },
		{ .addr = 1 },
		{ .inlined = true },
		{ .async = true },
		{ .guess = true },
		{ .kind = PROF_WASM },
	};
	struct fixture f = open_fixture();
	u32 id;

	(void)state;
	for (u32 i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(profile_frame(f.p, &rows[i], &id), 0);
		assert_int_equal(id, i + 1);
	}
	json_decref(close_fixture(&f));
}

struct name_row {
	const char *in, *out;
};

static void a_hostile_name_is_written_as_one_valid_json_line(void **state)
{
	static const struct name_row rows[] = {
		{ "a;b \"q\" \\ \n\t\r", "a;b \"q\" \\ \n\t\r" },
		{ "\x1b[31mred\x07\x7f", "\x1b[31mred\x07\x7f" },
		{ "\xe2\x80\xaegnp.exe\xe2\x80\x8f", "\xe2\x80\xaegnp.exe\xe2\x80\x8f" },
		{ "\xed\xa0\x80x\xff", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\xef\xbf\xbd" },
		{ "", "" },
		{ "\xf0\x9f\x98\x80\xc3\xa9", "\xf0\x9f\x98\x80\xc3\xa9" },
	};
	struct fixture f = open_fixture();
	json_t *lines;
	char raw[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		add_frame(f.p, PROF_JS, rows[i].in);
	profile_flush(f.p);
	rewind(f.out);
	while (fgets(raw, sizeof(raw), f.out)) {
		assert_null(strchr(raw, '\x1b'));
		assert_null(strchr(raw, '\x7f'));
		assert_null(strstr(raw, "\xe2\x80\xae"));
	}
	lines = close_fixture(&f);
	for (u32 i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(str(nth(lines, "frame", i), "name"), rows[i].out);
	json_decref(lines);
}

/*
 * Checks that a name of @n bytes is unchanged, or is truncated with an ellipsis at a
 * character boundary.
 */
static void check_long_name(const char *unit, size_t n, size_t kept)
{
	struct fixture f = open_fixture();
	char *name = calloc(1, n + 1);
	const char *got;
	json_t *lines;

	for (size_t i = 0; i < n; i++)
		name[i] = unit[i % strlen(unit)];
	add_frame(f.p, PROF_JS, name);
	lines = close_fixture(&f);
	got = str(nth(lines, "frame", 0), "name");
	assert_int_equal(strlen(got), kept == n ? n : kept + 3);
	assert_memory_equal(got, name, kept);
	assert_string_equal(got + kept, kept == n ? "" : "\xe2\x80\xa6");
	json_decref(lines);
	free(name);
}

static void a_name_longer_than_16_kib_is_cut(void **state)
{
	(void)state;
	check_long_name("x", 10000, 10000);
	check_long_name("x", 16384, 16384);
	check_long_name("x", 16385, 16384);
	check_long_name("x", 20000, 16384);
	check_long_name("\xe2\x82\xac", 15000, 15000);
	check_long_name("\xe2\x82\xac", 30000, 16383);
	check_long_name("\xf0\x9f\x98\x80", 30000, 16384);
	check_long_name("\"", 20000, 16384);
}

static void samples_of_one_thread_and_stack_are_merged_into_one_samples_line(void **state)
{
	struct fixture f = open_fixture();
	u32 frame = add_frame(f.p, PROF_JS, "a");
	u32 s = add_stack(f.p, &frame, 1, UW_END), t = add_stack(f.p, &frame, 1, UW_T_DEPTH);
	json_t *lines, *line;

	(void)state;
	profile_sample(f.p, 1, 2, s, 1000, PROF_ACT_JS, false);
	profile_sample(f.p, 1, 2, t, 1500, PROF_ACT_JS, false);
	profile_sample(f.p, 1, 2, s, 3000, PROF_ACT_JS, false);
	profile_sample(f.p, 1, 2, s, 2500, PROF_ACT_JS, false);
	profile_sample(f.p, 1, 2, s, 2600, PROF_ACT_GC, false);
	profile_sample(f.p, 1, 3, s, 2700, PROF_ACT_JS, true);
	assert_int_equal(profile_flush(f.p), 0);
	profile_sample(f.p, 1, 2, s, 9000, PROF_ACT_JS, false);
	assert_int_equal(profile_flush(f.p), 0);
	lines = close_fixture(&f);
	line = nth(lines, "samples", 0);
	assert_int_equal(num(line, "count"), 3);
	json_t *want = json_pack("[i,i,i]", 1000, 1500, 500);
	assert_true(json_equal(json_object_get(line, "t"), want));
	json_decref(want);
	assert_null(json_object_get(line, "labels"));
	line = nth(lines, "samples", 1);
	assert_string_equal(str(json_object_get(line, "labels"), "activity"), "gc");
	assert_int_equal(num(nth(lines, "samples", 2), "stack"), t);
	line = nth(lines, "samples", 3);
	assert_true(json_is_true(json_object_get(json_object_get(line, "labels"), "unresolved")));
	assert_int_equal(num(nth(lines, "samples", 4), "count"), 1);
	assert_null(nth(lines, "samples", 5));
	json_decref(lines);
}

static void pending_samples_of_a_pid_are_written_before_its_new_process_line(void **state)
{
	struct fixture f = open_fixture();
	u32 frame = add_frame(f.p, PROF_JS, "a"), s = add_stack(f.p, &frame, 1, UW_END);
	static const char *const order[] = {
		"header",  "frame",   "stack",	 "process", "thread",
		"samples", "process", "samples", "thread",  "summary"
	};
	json_t *lines;

	(void)state;
	profile_process(f.p, &(struct prof_process){ .pid = 7, .name = "old" });
	profile_thread(f.p, 7, 7, "t");
	profile_sample(f.p, 7, 7, s, 1, PROF_ACT_JS, false);
	profile_process(f.p, &(struct prof_process){ .pid = 7, .name = "new" });
	profile_sample(f.p, 7, 7, s, 2, PROF_ACT_JS, false);
	profile_thread(f.p, 7, 7, "u");
	assert_int_equal(profile_finish(f.p, &(struct prof_totals){ .lost = 3 }), 0);
	lines = close_fixture(&f);
	assert_int_equal(json_array_size(lines), sizeof(order) / sizeof(*order));
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		assert_true(is_type(json_array_get(lines, i), order[i]));
	json_decref(lines);
}

static void the_summary_of_a_profile_has_the_totals_of_all_samples(void **state)
{
	struct fixture f = open_fixture();
	u32 js = add_frame(f.p, PROF_JS, "a"), kernel = add_frame(f.p, PROF_KERNEL, "k"), guess;
	u32 waits; /* without a walk */
	const char *want =
		"{'type':'summary','samples':6,'lost':3,'lost_events':4,'complete':3,'guessed':1,'"
		"unresolved':1,"
		"'truncated':{'depth limit':2},'failed':{'fault':1},"
		"'by_activity':{'js':3,'gc':0,'compile':0,'dotnet':0,'jit':0,'native':1,'kernel':2}"
		","
		"'unwound_by':{'v8':5,'dotnet':0,'jit':0,'native':1,'kernel':2},"
		"'rows':{'budget':21,'pages':22,'rows':23,'evicted':24,'refetched':25,'refused':26,"
		"'failed':27},"
		"'cpu_ns':11,'bpf_ns':12,'duration_ns':13}";
	struct prof_totals totals = { .lost = 3,
				      .lost_events = 4,
				      .cpu_ns = 11,
				      .bpf_ns = 12,
				      .duration_ns = 13,
				      .rows = { 21, 22, 23, 24, 25, 26, 27 } };
	json_t *lines, *summary;
	char *text = strdup(want);

	(void)state;
	for (char *c = text; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	profile_frame(f.p, &(struct prof_frame){ .kind = PROF_NATIVE, .guess = true }, &guess);
	profile_frame(f.p, &(struct prof_frame){ .kind = PROF_JS, .async = true }, &waits);

	u32 whole = add_stack(f.p, (u32[]){ kernel, js, waits }, 3, UW_END);

	profile_sample(f.p, 1, 1, whole, 1, PROF_ACT_KERNEL, false);
	profile_sample(f.p, 1, 1, whole, 2, PROF_ACT_KERNEL, true);

	u32 guessed = add_stack(f.p, (u32[]){ guess, js }, 2, UW_OK);

	profile_sample(f.p, 1, 1, guessed, 2, PROF_ACT_NATIVE, false);

	u32 deep = add_stack(f.p, &js, 1, UW_T_DEPTH);

	profile_sample(f.p, 1, 1, deep, 2, PROF_ACT_JS, false);
	profile_sample(f.p, 1, 1, deep, 2, PROF_ACT_JS, false);
	profile_sample(f.p, 1, 1, add_stack(f.p, NULL, 0, UW_E_FAULT), 2, PROF_ACT_JS, false);
	assert_int_equal(profile_n_samples(f.p), 6);
	assert_int_equal(profile_n_complete(f.p), 3);
	assert_int_equal(profile_finish(f.p, &totals), 0);
	lines = close_fixture(&f);
	summary = json_loads(text, 0, NULL);
	assert_non_null(summary);
	assert_true(json_equal(nth(lines, "summary", 0), summary));
	/* Negative control. */
	json_object_set_new(summary, "guessed", json_integer(2));
	assert_false(json_equal(nth(lines, "summary", 0), summary));
	json_decref(summary);
	json_decref(lines);
	free(text);
}

static void an_invalid_frame_or_stack_or_sample_is_rejected(void **state)
{
	struct fixture f = open_fixture();
	struct prof_frame bad_kind = { .kind = PROF_N_KINDS };
	u32 js = add_frame(f.p, PROF_JS, "a"), s = add_stack(f.p, &js, 1, UW_END), id = 77;
	u32 *many = calloc(PROF_MAX_FRAMES + 1, sizeof(*many));

	(void)state;
	for (u32 i = 0; i <= PROF_MAX_FRAMES; i++)
		many[i] = js;
	assert_int_equal(profile_frame(f.p, &bad_kind, &id), -EINVAL);
	assert_int_equal(profile_stack(f.p, &(struct prof_stack){ &(u32){ 0 }, 1, UW_END }, &id),
			 -EINVAL);
	assert_int_equal(
		profile_stack(f.p, &(struct prof_stack){ &(u32){ js + 1 }, 1, UW_END }, &id),
		-EINVAL);
	assert_int_equal(profile_stack(f.p, &(struct prof_stack){ &js, 1, UW_F_SHARED_TAG }, &id),
			 -EINVAL);
	assert_int_equal(
		profile_stack(f.p, &(struct prof_stack){ many, PROF_MAX_FRAMES + 1, UW_END }, &id),
		-E2BIG);
	assert_int_equal(id, 77);
	assert_int_equal(
		profile_stack(f.p, &(struct prof_stack){ many, PROF_MAX_FRAMES, UW_END }, &id), 0);
	assert_int_equal(profile_sample(f.p, 1, 1, 0, 1, PROF_ACT_JS, false), -EINVAL);
	assert_int_equal(profile_sample(f.p, 1, 1, id + 1, 1, PROF_ACT_JS, false), -EINVAL);
	assert_int_equal(profile_sample(f.p, 1, 1, s, 1, PROF_N_ACTIVITIES, false), -EINVAL);
	assert_int_equal(profile_sample(f.p, 1, 1, s, 1, PROF_ACT_JS, false), 0);
	assert_int_equal(profile_error(f.p), 0);
	free(many);
	json_decref(close_fixture(&f));
}

/* Checks that each id to which a line refers was defined before, and only once. */
static void check_references(json_t *lines)
{
	static bool frames[1 << 20], stacks[1 << 20];
	json_t *line, *id;
	size_t i, k;

	memset(frames, 0, sizeof(frames));
	memset(stacks, 0, sizeof(stacks));
	json_array_foreach(lines, i, line)
	{
		if (is_type(line, "frame")) {
			assert_false(frames[num(line, "id")]);
			frames[num(line, "id")] = true;
		} else if (is_type(line, "stack")) {
			assert_false(stacks[num(line, "id")]);
			stacks[num(line, "id")] = true;
			json_array_foreach(json_object_get(line, "frames"), k, id)
				assert_true(frames[json_integer_value(id)]);
		} else if (is_type(line, "samples")) {
			assert_true(stacks[num(line, "stack")]);
		}
	}
}

static void any_number_of_names_can_be_written_with_a_small_memory_budget(void **state)
{
	struct fixture f = open_fixture();
	u32 first = 0, ids[3], total = 0, frame_lines = 0;
	json_t *lines, *line;
	size_t i;

	(void)state;
	assert_int_equal(profile_set_budget(f.p, PROF_MIN_BUDGET - 1), -EINVAL);
	assert_int_equal(profile_set_budget(f.p, PROF_MIN_BUDGET), 0);
	for (u32 n = 0; n < 300000; n += 3, total++) {
		for (u32 k = 0; k < 3; k++) {
			char name[32];

			snprintf(name, sizeof(name), "function %u", n + k);
			ids[k] = add_frame(f.p, PROF_JS, name);
		}
		if (n == 0)
			first = ids[0];

		u32 s = add_stack(f.p, ids, 3, UW_END);

		assert_int_equal(profile_sample(f.p, 1, 1, s, n, PROF_ACT_JS, false), 0);
	}
	/* An id that is too old is rejected, and can be defined again. */
	assert_int_equal(profile_stack(f.p, &(struct prof_stack){ &first, 1, UW_END }, &ids[0]),
			 -ESTALE);
	assert_int_equal(profile_sample(f.p, 1, 1, 1, 300000, PROF_ACT_JS, false), -ESTALE);
	assert_true(add_frame(f.p, PROF_JS, "function 0") > 300000);
	assert_int_equal(profile_finish(f.p, &(struct prof_totals){ 0 }), 0);
	lines = close_fixture(&f);
	check_references(lines);
	json_array_foreach(lines, i, line)
	{
		frame_lines += is_type(line, "frame");
		total -= is_type(line, "samples") ? (u32)num(line, "count") : 0;
	}
	assert_int_equal(frame_lines, 300001);
	assert_int_equal(total, 0);
	json_decref(lines);
}

static void every_call_returns_the_error_of_the_first_write_that_failed(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct profile *p = NULL;
	u32 id = 77;

	(void)state;
	assert_non_null(full);
	assert_int_equal(profile_new(&p, full, &header), 0); /* still in the stdio buffer */
	assert_int_equal(profile_flush(p), -ENOSPC);
	assert_int_equal(profile_error(p), -ENOSPC);
	assert_int_equal(profile_frame(p, &(struct prof_frame){ .name = "a" }, &id), -ENOSPC);
	assert_int_equal(id, 77);
	assert_int_equal(profile_finish(p, &(struct prof_totals){ 0 }), -ENOSPC);
	profile_free(&p);
	fclose(full);
	full = fopen("/dev/full", "w");
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(profile_new(&p, full, &header), -ENOSPC);
	assert_null(p);
	fclose(full);
}

static void a_copy_of_an_unfinished_profile_has_a_summary_and_the_profile_continues(void **state)
{
	struct fixture f = open_fixture();
	u32 frame = add_frame(f.p, PROF_JS, "a"), s = add_stack(f.p, &frame, 1, UW_END);
	FILE *copy = tmpfile();
	json_t *lines;

	(void)state;
	profile_sample(f.p, 7, 7, s, 1, PROF_ACT_JS, false);
	assert_int_equal(profile_copy(f.p, &(struct prof_totals){ .lost = 1 }, copy), 0);
	profile_sample(f.p, 7, 7, s, 2, PROF_ACT_JS, false);
	assert_int_equal(profile_finish(f.p, &(struct prof_totals){ .lost = 2 }), 0);
	lines = lines_of(copy);
	check_references(lines);
	assert_int_equal(num(nth(lines, "summary", 0), "samples"), 1);
	assert_int_equal(num(nth(lines, "summary", 0), "lost"), 1);
	json_decref(lines);
	lines = close_fixture(&f);
	assert_int_equal(num(nth(lines, "summary", 0), "samples"), 2);
	assert_null(nth(lines, "summary", 1));
	assert_int_equal(num(nth(lines, "samples", 1), "count"), 1);
	json_decref(lines);
	fclose(copy);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(two_frames_that_differ_in_any_member_have_different_ids),
	cmocka_unit_test(the_header_of_a_profile_contains_start_time_machine_and_sampling_rate),
	cmocka_unit_test(a_frame_or_stack_that_equals_an_earlier_one_is_not_written_again),
	cmocka_unit_test(two_frames_are_equal_only_if_every_member_is_equal),
	cmocka_unit_test(a_hostile_name_is_written_as_one_valid_json_line),
	cmocka_unit_test(a_name_longer_than_16_kib_is_cut),
	cmocka_unit_test(samples_of_one_thread_and_stack_are_merged_into_one_samples_line),
	cmocka_unit_test(pending_samples_of_a_pid_are_written_before_its_new_process_line),
	cmocka_unit_test(the_summary_of_a_profile_has_the_totals_of_all_samples),
	cmocka_unit_test(an_invalid_frame_or_stack_or_sample_is_rejected),
	cmocka_unit_test(any_number_of_names_can_be_written_with_a_small_memory_budget),
	cmocka_unit_test(every_call_returns_the_error_of_the_first_write_that_failed),
	cmocka_unit_test(a_copy_of_an_unfinished_profile_has_a_summary_and_the_profile_continues),
};

int main(void)
{
	return CHECK_RUN(tests);
}
