// SPDX-License-Identifier: BSD-2-Clause

/* Tests when a recorder's rings and cases are due to be written, without a kernel. */

#include "../check.h"

/* Includes the source to reach its static state. */
#include "../../loader/flight/recorder.c" /* NOLINT(bugprone-suspicious-include) */

enum { N_RINGS = 4, N_SLOTS = 8, RING_LEN = 64 + N_SLOTS * 64 };

static struct flight_control control;
static u8 memory[N_RINGS][RING_LEN] __attribute__((aligned(64)));

static struct recorder made(bool has_cases)
{
	control = (struct flight_control){ 0 };
	memset(memory, 0, sizeof(memory));
	return (struct recorder){ .config = { .has_cases = has_cases },
				  .rings = { .memory = memory[0],
					     .ring_len = RING_LEN,
					     .n = N_RINGS,
					     .control = &control } };
}

static void freeze(u32 i)
{
	((struct flight_ring *)memory[i])->frozen_epoch = control.epoch + 1;
}

static void add(struct recorder *r, u32 pid, size_t len)
{
	struct fl_case c = { .pid = pid, .status = UW_T_NO_ROW, malloc(1), len, 0 };

	recorder_add_case(r, &c);
}

static void a_dump_is_due_exactly_once_after_a_ring_has_frozen(void **state)
{
	struct recorder r = made(false);

	(void)state;
	assert_false(is_dump_due(&r, false));
	freeze(1);
	assert_true(is_dump_due(&r, false));
	assert_false(is_dump_due(&r, false));
	freeze(0);
	assert_true(is_dump_due(&r, false));
	assert_false(is_dump_due(&r, true));
	freeze(N_RINGS - 1); /* no walk freezes the recorder's own ring */
	assert_false(is_dump_due(&r, false));
}

static void a_dump_waits_for_the_cases_of_all_frozen_rings(void **state)
{
	struct recorder r = made(true);

	(void)state;
	freeze(0);
	freeze(2);
	assert_false(is_dump_due(&r, false));
	add(&r, 7, 1);
	assert_false(is_dump_due(&r, false));
	recorder_add_case(&r, &(struct fl_case){ 8, UW_T_NO_ROW, NULL, 0, FL_CASE_GONE });
	assert_true(is_dump_due(&r, false));
	assert_int_equal(recorder_n_cases(&r), 1);
	drop_cases(&r);
}

static void a_dump_waits_for_cases_only_for_a_limited_time(void **state)
{
	struct recorder r = made(true);
	struct fl_dump d = { 0 };

	(void)state;
	freeze(0);
	assert_false(is_dump_due(&r, false));
	add_cases(&r, &d);
	assert_int_equal(d.n_cases, 0);
	r.due_ns = flight_now();
	assert_true(is_dump_due(&r, false));
	add_cases(&r, &d);
	assert_int_equal(d.n_cases, 1);
	assert_int_equal(d.cases[0].why_not, FL_CASE_LOST);
	freeze(1);
	assert_false(is_dump_due(&r, false));
	assert_true(is_dump_due(&r, true));
}

static void cases_of_frozen_rings_are_freed_when_the_rings_resume(void **state)
{
	struct recorder r = made(true);

	(void)state;
	freeze(0);
	add(&r, 7, 1);
	assert_true(is_dump_due(&r, false));
	control.epoch++;
	assert_false(is_dump_due(&r, false));
	assert_int_equal(recorder_n_cases(&r), 0);
	freeze(0);
	assert_false(is_dump_due(&r, false));
	add(&r, 8, 1);
	assert_true(is_dump_due(&r, false));
	drop_cases(&r);
}

static void cases_beyond_the_limits_of_size_and_number_are_dropped(void **state)
{
	struct recorder r = made(true);

	(void)state;
	add(&r, 7, FL_MAX_CASE_LEN + 1);
	assert_int_equal(recorder_n_cases(&r), 0);
	assert_int_equal(r.cases[0].why_not, FL_CASE_FAILED);
	assert_null(r.cases[0].bytes);
	for (u32 i = 0; i < FL_MAX_CASES; i++)
		add(&r, 8, FL_MAX_CASE_LEN);
	assert_int_equal(r.n_asked, FL_MAX_CASES + 1);
	assert_int_equal(recorder_n_cases(&r), FL_MAX_CASES - 1);
	drop_cases(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dump_is_due_exactly_once_after_a_ring_has_frozen),
		cmocka_unit_test(a_dump_waits_for_the_cases_of_all_frozen_rings),
		cmocka_unit_test(a_dump_waits_for_cases_only_for_a_limited_time),
		cmocka_unit_test(cases_of_frozen_rings_are_freed_when_the_rings_resume),
		cmocka_unit_test(cases_beyond_the_limits_of_size_and_number_are_dropped),
	};

	return CHECK_RUN(tests);
}
