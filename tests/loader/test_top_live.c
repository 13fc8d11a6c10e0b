/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests the window over a profile that grows while it is read, and a profile that begins again. */

#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../inspect/util/clock.h"
#include "../../loader/profile/profile.h"
#include "../../loader/query/query.h"
#include "../../loader/top/live.h"

/* A recording with two functions and a reader of its file. */
struct recorded {
	FILE *file;
	struct profile *profile;
	struct live *live;
	u32 stacks[2];
};

static void setup(struct recorded *r)
{
	static const struct prof_header header = { .hz = 99 };
	static const struct prof_process process = { .pid = 7, .name = "app.js" };
	static const char *const names[2] = { "first", "second" };
	struct prof_reader *reader = NULL;
	char path[32];

	r->file = tmpfile();
	assert_int_equal(profile_new(&r->profile, r->file, &header), 0);
	assert_int_equal(profile_process(r->profile, &process), 0);
	for (u32 i = 0; i < 2; i++) {
		struct prof_frame f = { .kind = PROF_JS, .name = names[i] };
		u32 id;

		assert_int_equal(profile_frame(r->profile, &f, &id), 0);
		assert_int_equal(
			profile_stack(r->profile,
				      &(struct prof_stack){ &id, 1, i ? UW_T_NO_ROW : UW_END },
				      &r->stacks[i]),
			0);
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(r->file));
	assert_int_equal(prof_reader_open(path, &reader), 0);
	assert_int_equal(live_new(&r->live, reader, 0), 0);
}

static void teardown(struct recorded *r)
{
	live_free(&r->live);
	profile_free(&r->profile);
	fclose(r->file);
}

/* Adds samples of a function, and reads them at a time. */
static void sample(struct recorded *r, u32 function, u32 n, u32 second)
{
	for (u32 i = 0; i < n; i++)
		assert_int_equal(profile_sample(r->profile, 7, 7, r->stacks[function],
						second * 1000000ull + i, PROF_ACT_JS, false),
				 0);
	assert_int_equal(profile_flush(r->profile), 0);
	assert_int_equal(live_read(r->live, second * NS_PER_S, second), 0);
	assert_int_equal(live_move(r->live), 0);
}

static u64 self_of(struct recorded *r, const char *name)
{
	struct query q = { .function = name };
	struct query_result result;
	u64 self = 0;

	if (query_run(live_window(r->live), &q, &result) == 0 && result.n)
		self = result.rows[0].self;
	query_result_free(&result);
	return self;
}

static void samples_leave_the_window_after_ten_seconds(void **state)
{
	struct recorded r;

	(void)state;
	setup(&r);
	sample(&r, 0, 30, 1);
	for (u32 second = 2; second <= 10; second++) {
		sample(&r, 1, 2, second);
		assert_int_equal(self_of(&r, "first"), 30);
		assert_int_equal(self_of(&r, "second"), 2 * (second - 1));
	}
	sample(&r, 1, 2, 11);
	assert_int_equal(self_of(&r, "first"), 0);
	assert_int_equal(self_of(&r, "second"), 20);
	for (u32 second = 12; second <= 40; second++)
		sample(&r, 1, second, second);
	assert_int_equal(self_of(&r, "second"), 31 + 32 + 33 + 34 + 35 + 36 + 37 + 38 + 39 + 40);
	teardown(&r);
}

static void the_summary_counts_only_the_window(void **state)
{
	const struct prof_data *d;
	struct recorded r;

	(void)state;
	setup(&r);
	sample(&r, 0, 30, 1);
	sample(&r, 1, 10, 2);
	d = live_window(r.live);
	assert_int_equal(d->samples, 40);
	assert_int_equal(d->summary.samples, 40);
	assert_int_equal(d->summary.complete, 30);
	assert_int_equal(d->summary.reasons[PROF_TRUNCATED].reasons[0].count, 10);
	assert_int_equal(d->summary.by_activity[PROF_ACT_JS], 40);
	assert_int_equal(d->summary.lost, 2);
	assert_int_equal(d->summary.duration_ns, 2 * NS_PER_S);
	assert_int_equal(d->processes[0].samples, 40);
	assert_int_equal(d->n_pids, 1);
	for (u32 second = 3; second <= 11; second++)
		sample(&r, 1, 1, second);
	d = live_window(r.live);
	assert_int_equal(d->summary.complete, 0);
	assert_int_equal(d->summary.reasons[PROF_TRUNCATED].reasons[0].count, 19);
	assert_int_equal(d->summary.lost, 10);
	assert_int_equal(d->summary.duration_ns, 10 * NS_PER_S);
	for (u32 second = 12; second <= 22; second++)
		sample(&r, 1, 0, second);
	d = live_window(r.live);
	assert_int_equal(d->samples, 0);
	assert_int_equal(d->n_pids, 0);
	assert_int_equal(d->summary.reasons[PROF_TRUNCATED].n, 0);
	teardown(&r);
}

static void a_frozen_window_stays_valid_while_the_profile_grows(void **state)
{
	struct recorded r;

	(void)state;
	setup(&r);
	sample(&r, 0, 30, 1);
	assert_int_equal(self_of(&r, "first"), 30);
	for (u32 i = 0; i < 5000; i++) {
		struct prof_frame f = { .kind = PROF_JS, .name = "other", .line = i + 1 };
		u32 id, stack;

		assert_int_equal(profile_frame(r.profile, &f, &id), 0);
		assert_int_equal(
			profile_stack(r.profile, &(struct prof_stack){ &id, 1, UW_END }, &stack),
			0);
		assert_int_equal(
			profile_sample(r.profile, 7, 8, stack, 2000000 + i, PROF_ACT_JS, false), 0);
	}
	assert_int_equal(profile_flush(r.profile), 0);
	assert_int_equal(live_read(r.live, 2 * NS_PER_S, 0), 0);
	assert_int_equal(self_of(&r, "first"), 30);
	assert_int_equal(self_of(&r, "other"), 0);
	assert_int_equal(live_move(r.live), 0);
	assert_int_equal(self_of(&r, "other"), 5000);
	teardown(&r);
}

static void an_incomplete_line_is_read_when_it_is_complete(void **state)
{
	static const char line[] = "{\"type\":\"samples\",\"pid\":7,\"tid\":7,\"stack\":1,"
				   "\"count\":1,\"t\":[9]}\n";
	struct recorded r;
	int fd;

	(void)state;
	setup(&r);
	sample(&r, 0, 30, 1);
	fd = fileno(r.file);
	for (size_t at = 0, len = 9; at < sizeof(line) - 1; at += len) {
		len = at + len < sizeof(line) - 1 ? len : sizeof(line) - 1 - at;
		assert_int_equal(self_of(&r, "first"), 30);
		assert_int_equal(write(fd, line + at, len), (ssize_t)len);
		assert_int_equal(live_read(r.live, 2 * NS_PER_S, 0), 0);
		assert_int_equal(live_move(r.live), 0);
	}
	assert_int_equal(self_of(&r, "first"), 31);
	teardown(&r);
}

static void a_profile_that_begins_again_has_only_later_lines(void **state)
{
	const struct prof_header header = { .hz = 99 }, later = { .hz = 7 };
	struct prof_frame f = { .kind = PROF_JS, .name = "early" };
	struct prof_stack s = { .n_frames = 1, .status = UW_END };
	struct prof_reader *in = NULL;
	struct prof_data *d = NULL;
	struct profile *p = NULL;
	u32 early, now, stack;
	FILE *file = tmpfile();

	(void)state;
	assert_int_equal(profile_new(&p, file, &header), 0);
	assert_int_equal(profile_frame(p, &f, &early), 0);
	s.frames = &early;
	assert_int_equal(profile_stack(p, &s, &stack), 0);
	assert_int_equal(profile_sample(p, 7, 7, stack, 1, PROF_ACT_JS, false), 0);
	assert_int_equal(profile_flush(p), 0);
	assert_int_equal(profile_sample(p, 7, 7, stack, 2, PROF_ACT_JS, false), 0);
	assert_int_equal(profile_begin_again(p, &later), 0);
	assert_int_equal(profile_n_samples(p), 0);
	assert_int_equal(profile_stack(p, &s, &now), -ESTALE);
	assert_int_equal(profile_sample(p, 7, 7, stack, 3, PROF_ACT_JS, false), -ESTALE);
	assert_int_equal(profile_frame(p, &f, &now), 0);
	assert_true(now > early);
	s.frames = &now;
	assert_int_equal(profile_stack(p, &s, &stack), 0);
	assert_int_equal(profile_sample(p, 7, 7, stack, 4, PROF_ACT_JS, false), 0);
	assert_int_equal(profile_finish(p, &(struct prof_totals){ 0 }), 0);
	rewind(file);
	assert_int_equal(prof_reader_new(dup(fileno(file)), "file", &in), 0);
	if (data_read(in, &d))
		fail_msg("%s", prof_reader_error(in));
	assert_int_equal(d->samples, 1);
	assert_int_equal(d->n_frames, 1);
	assert_int_equal(d->hz, 7);
	data_free(&d);
	prof_reader_free(&in);
	profile_free(&p);
	fclose(file);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_leave_the_window_after_ten_seconds),
		cmocka_unit_test(the_summary_counts_only_the_window),
		cmocka_unit_test(a_frozen_window_stays_valid_while_the_profile_grows),
		cmocka_unit_test(an_incomplete_line_is_read_when_it_is_complete),
		cmocka_unit_test(a_profile_that_begins_again_has_only_later_lines),
	};

	return CHECK_RUN(tests);
}
