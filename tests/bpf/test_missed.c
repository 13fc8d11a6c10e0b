// SPDX-License-Identifier: BSD-2-Clause

/*
 * Periods without a run. The tables were computed by hand, in tenths of a period. A run may be late
 * by up to a period.
 */

#include "../../inspect/util/array.h"
#include "world.h"

#define FIRST_NS 1000000000000ull
#define TENTH (PERIOD_NS / 10)

static const struct row {
	u32 tenths; /* time between two runs */
	u64 n_missed;
} rows[] = {
	{ 1, 0 },  { 9, 0 },  { 10, 0 }, { 15, 0 }, { 19, 0 },	{ 20, 1 },
	{ 25, 1 }, { 29, 1 }, { 30, 2 }, { 39, 2 }, { 100, 9 }, { 1000, 99 },
};
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Returns how many missed runs are counted for two runs @gap_ns apart. */
static u64 missed_in(u64 gap_ns)
{
	u64 before = counters->missed;

	counters->last_ns = 0;
	fake.now_ns = FIRST_NS;
	run();
	counters->missed = before;
	fake.now_ns += gap_ns;
	run();
	return counters->missed - before;
}

static void gap_between_runs_is_counted_as_missed_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ROWS; i++) {
		u64 n = missed_in(rows[i].tenths * TENTH);

		if (n != rows[i].n_missed)
			fail_msg("for two runs %u tenths of a period apart, missed_in() returned "
				 "%llu missed runs",
				 rows[i].tenths, n);
	}
	assert_int_equal(missed_in(2 * PERIOD_NS - 1), 0);
}

/* A run may be late by up to a period, and the next run in time. */
static void missed_runs_are_counted_once_however_late_runs_are(void **state)
{
	static const struct {
		u32 late[6]; /* of each run, in tenths of a period */
		u32 missed; /* periods before the last run */
	} timers[] = {
		{ { 0, 6, 0, 6, 0, 6 }, 0 }, { { 0, 9, 0, 9, 9, 0 }, 0 },
		{ { 5, 0, 5, 0, 9, 4 }, 0 }, { { 9, 0, 1, 8, 2, 0 }, 0 },
		{ { 0, 9, 0, 9, 0, 9 }, 3 }, { { 7, 0, 9, 0, 9, 0 }, 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(timers); i++) {
		counters->last_ns = counters->missed = 0;
		for (u32 run_idx = 0; run_idx < 6; run_idx++) {
			u32 expiry = run_idx + (run_idx == 5 ? timers[i].missed : 0);

			fake.now_ns =
				FIRST_NS + expiry * PERIOD_NS + timers[i].late[run_idx] * TENTH;
			run();
		}
		if (counters->missed != timers[i].missed)
			fail_msg("timer %zu: %llu missed runs were counted, not %u", i,
				 counters->missed, timers[i].missed);
	}
}

static void missed_runs_of_several_gaps_are_added_up(void **state)
{
	(void)state;
	fake.now_ns = FIRST_NS;
	for (u32 i = 0; i < 4; i++, fake.now_ns += 3 * PERIOD_NS)
		run();
	assert_int_equal(counters->missed, 6);
	assert_int_equal(counters->runs, 4);
}

static void no_missed_run_is_counted_at_the_first_run(void **state)
{
	(void)state;
	run();
	assert_int_equal(counters->missed, 0);
	assert_int_equal(counters->last_ns, fake.now_ns);
}

/* Runs on other CPUs do not end a gap. */
static void gap_between_runs_is_measured_separately_on_each_cpu(void **state)
{
	(void)state;
	fake.now_ns = FIRST_NS;
	run();
	fake.cpu = CPU - 1;
	fake.now_ns += 4 * PERIOD_NS;
	run();
	assert_int_equal(uw_counters[CPU - 1].missed, 0);
	fake.cpu = CPU;
	run();
	assert_int_equal(counters->missed, 3);
}

static void no_missed_run_is_counted_while_the_cpu_is_idle(void **state)
{
	struct task_struct *idle = &w.tasks[IDLE].task;

	(void)state;
	idle->nivcsw = 40;
	assert_int_equal(missed_in(5 * PERIOD_NS), 4);
	idle->nivcsw++;
	fake.now_ns += 5 * PERIOD_NS;
	run();
	assert_int_equal(counters->missed, 4);
	assert_int_equal(counters->last_idle, 41);
	fake.now_ns += 5 * PERIOD_NS; /* busy again */
	run();
	assert_int_equal(counters->missed, 8);
}

/*
 * The idle task is looked up only at the first run, because later the CPU's current task may be in
 * another task group.
 */
static void idle_task_of_a_cpu_is_looked_up_only_at_the_first_run(void **state)
{
	(void)state;
	run();
	assert_int_equal(counters->idle_task, (u64)&w.tasks[IDLE].task);
	w.rq.idle = &w.tasks[INIT].task;
	run();
	assert_int_equal(counters->idle_task, (u64)&w.tasks[IDLE].task);
}

/*
 * On a kernel without task groups the idle task is not found, so a gap counts as missed runs even
 * if the CPU was idle.
 */
static void gap_on_an_idle_cpu_counts_as_missed_runs_if_the_idle_task_is_unknown(void **state)
{
	(void)state;
	fake_has_fields = false;
	assert_int_equal(missed_in(5 * PERIOD_NS), 4);
	assert_int_equal(counters->idle_task, 0);
}

static void no_missed_run_is_counted_for_an_event_without_a_period(void **state)
{
	struct uw_config config = usual_config();

	(void)state;
	config.period_ns = 0;
	set_config(&config);
	assert_int_equal(missed_in(5 * PERIOD_NS), 0);
}

/* A run that sends no sample still ends the gap between runs. */
static void run_that_sends_no_sample_is_not_counted_as_missed(void **state)
{
	(void)state;
	fake.now_ns = FIRST_NS;
	run();
	fake.ids = 0;
	for (u32 i = 0; i < 5; i++) {
		fake.now_ns += PERIOD_NS;
		run();
	}
	assert_int_equal(counters->idle, 5);
	assert_int_equal(counters->missed, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(gap_between_runs_is_counted_as_missed_runs),
		T(missed_runs_are_counted_once_however_late_runs_are),
		T(missed_runs_of_several_gaps_are_added_up),
		T(no_missed_run_is_counted_at_the_first_run),
		T(gap_between_runs_is_measured_separately_on_each_cpu),
		T(no_missed_run_is_counted_while_the_cpu_is_idle),
		T(idle_task_of_a_cpu_is_looked_up_only_at_the_first_run),
		T(gap_on_an_idle_cpu_counts_as_missed_runs_if_the_idle_task_is_unknown),
		T(no_missed_run_is_counted_for_an_event_without_a_period),
		T(run_that_sends_no_sample_is_not_counted_as_missed),
	};

	return CHECK_RUN(tests);
}
