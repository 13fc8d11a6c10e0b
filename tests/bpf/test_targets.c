// SPDX-License-Identifier: BSD-2-Clause

/* The processes that are sampled, and the pids that samples contain. */

#include "world.h"

static bool is_sent(void)
{
	return run() != NULL;
}

static void forget_processes(void)
{
	memset(uw_processes, 0, sizeof(uw_processes));
}

static void every_process_is_a_target_in_mode_all(void **state)
{
	(void)state;
	forget_processes();
	assert_true(is_sent());
}

static void process_with_the_target_flag_is_a_target(void **state)
{
	struct uw_process *p = enter_process(PID, UW_PROC_TARGET | UW_PROC_TABLES, 0);

	(void)state;
	set_mode(UW_TARGET_PIDS);
	assert_true(is_sent());
	p->flags = UW_PROC_USED | UW_PROC_TABLES; /* known, but not a target */
	assert_false(is_sent());
	p->flags = UW_PROC_TARGET; /* without UW_PROC_USED: the entry of an exited process */
	assert_false(is_sent());
	p->flags = UW_PROC_USED | UW_PROC_TARGET;
	assert_true(is_sent());
	p->pid = TID; /* a thread ID is not a pid */
	assert_false(is_sent());
}

/*
 * A process is in one of the 16 entries that begin at its hash. The table's first entry follows its
 * last one.
 */
static void target_is_found_in_any_of_the_16_entries_that_begin_at_its_hash(void **state)
{
	u32 last_pid = PID;

	(void)state;
	set_mode(UW_TARGET_PIDS);
	while (uw_process_hash(last_pid) < UW_MAX_PROCESSES - 4)
		last_pid++;
	for (u32 i = 0; i < 2; i++) {
		u32 pid = i ? last_pid : PID;

		fake.ids = (u64)pid << 32 | TID;
		for (u32 probe = 0; probe <= 16; probe++) {
			forget_processes();
			enter_process(pid, UW_PROC_TARGET, probe);
			if (is_sent() != (probe < 16))
				fail_msg("pid %u, probe %u", pid, probe);
		}
	}
}

static void every_descendant_of_a_target_is_also_a_target(void **state)
{
	static const struct {
		u32 pid;
		bool is_sent;
	} rows[] = {
		{ PID, true }, { 600, true }, { 500, true },  { 605, false /* a thread */ },
		{ 1, false },  { 0, false },  { 601, false }, { TID, false },
	};

	(void)state;
	set_mode(UW_TARGET_PIDS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		forget_processes();
		enter_process(rows[i].pid, UW_PROC_TARGET, 0);
		if (is_sent() != rows[i].is_sent)
			fail_msg("target %u", rows[i].pid);
	}
	forget_processes();
	enter_process(600, UW_PROC_TABLES, 0); /* the parent is known but not a target */
	assert_false(is_sent());
}

/* Makes one task for each generation: task @i is the parent of task @i - 1. */
static void process_is_a_target_if_one_of_its_16_nearest_ancestors_is_a_target(void **state)
{
	static struct made_task line[20];

	(void)state;
	set_mode(UW_TARGET_PIDS);
	for (u32 i = 0; i < 20; i++) {
		line[i] = w.tasks[PROCESS];
		line[i].pid.pid.numbers[0].nr = 2000 + (int)i;
		line[i].task.thread_pid = &line[i].pid.pid;
		line[i].task.group_leader = &line[i].task;
		line[i].task.real_parent = i < 19 ? &line[i + 1].task : NULL;
	}
	leader->real_parent = &line[0].task;
	for (u32 i = 0; i < 20; i++) {
		forget_processes();
		enter_process(2000 + i, UW_PROC_TARGET, 0);
		if (is_sent() != (i < 16))
			fail_msg("generation %u", i + 1);
	}
}

static void thread_with_a_target_tid_is_sampled(void **state)
{
	struct uw_config config = usual_config();

	(void)state;
	config.target_mode = UW_TARGET_TIDS;
	for (u32 n = 0; n <= UW_MAX_TIDS + 1; n += n < 4 ? 1 : 83) {
		config.n_tids = n;
		set_config(&config);
		for (u32 at = 0; at < UW_MAX_TIDS; at++) {
			memset(uw_tids, 0xff, sizeof(uw_tids));
			uw_tids[at] = TID;
			if (is_sent() != (at < n))
				fail_msg("with %u target tids, the thread's own tid at index %u "
					 "has the wrong result",
					 n, at);
		}
	}
	memset(uw_tids, 0xff, sizeof(uw_tids));
	uw_tids[0] = PID; /* differs from the thread's ID */
	assert_false(is_sent());
}

/* The process that has the pid of an exited target started later than the target. */
static void process_that_starts_later_than_a_target_with_its_pid_is_no_target(void **state)
{
	struct uw_process *p = enter_process(PID, UW_PROC_TARGET | UW_PROC_TABLES, 0);

	(void)state;
	set_mode(UW_TARGET_PIDS);
	leader->start_boottime = 7ull << UW_TARGET_TIME_SHIFT;
	p->target_time = 7;
	assert_true(is_sent());
	p->target_time--;
	assert_false(is_sent());
	forget_processes();
	p = enter_process(600, UW_PROC_TARGET, 0); /* the parent */
	p->target_time = 7;
	w.tasks[PARENT].task.start_boottime = (8ull << UW_TARGET_TIME_SHIFT) - 1;
	assert_true(is_sent());
	w.tasks[PARENT].task.start_boottime++;
	assert_false(is_sent());
}

static void thread_that_starts_later_than_a_target_with_its_tid_is_no_target(void **state)
{
	struct uw_config config = usual_config();

	(void)state;
	config.target_mode = UW_TARGET_TIDS;
	config.n_tids = 1;
	uw_tids[0] = TID;
	config.tids_ns = thread->start_boottime;
	set_config(&config);
	assert_true(is_sent());
	thread->start_boottime++;
	assert_false(is_sent());
}

static void only_a_process_in_the_cgroup_is_a_target_in_cgroup_mode(void **state)
{
	static const struct {
		long answer;
		bool is_sent;
	} rows[] = { { 1, true }, { 0, false }, { -11 /* no cgroup in the map */, false } };

	(void)state;
	set_mode(UW_TARGET_CGROUP);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fake.in_cgroup = rows[i].answer;
		assert_int_equal(is_sent(), rows[i].is_sent);
	}
}

static void sample_has_the_kernels_pid_if_the_recorder_is_in_the_first_pid_namespace(void **state)
{
	(void)state;
	assert_true(is_sent());
	assert_int_equal(w.sample.pid, PID);
	assert_int_equal(w.sample.tid, TID);
}

static void sample_has_an_inner_pid_if_the_recorder_is_in_the_inner_pid_namespace(void **state)
{
	(void)state;
	uw_pidns_level = 1;
	uw_pidns_ino = w.inner.ns.inum;
	assert_true(is_sent());
	assert_int_equal(w.sample.pid, INNER_PID);
	assert_int_equal(w.sample.tid, INNER_TID);
	set_mode(UW_TARGET_PIDS);
	forget_processes();
	enter_process(600, UW_PROC_TARGET, 0); /* the parent's pid in the outer namespace */
	assert_false(is_sent());
	enter_process(1600, UW_PROC_TARGET, 0);
	assert_true(is_sent());
}

/* A process in a nested namespace has a pid in each namespace from its own up to the first. */
static void process_in_a_nested_namespace_has_a_pid_in_the_recorders_namespace(void **state)
{
	struct pid_namespace innermost = { { 4026532009u } };

	(void)state;
	for (u32 i = PROCESS; i <= THREAD; i++) {
		w.tasks[i].pid.pid.level = 2;
		w.tasks[i].pid.more[1] = (struct upid){ (int)i, &innermost };
	}
	uw_pidns_level = 1;
	uw_pidns_ino = w.inner.ns.inum;
	assert_true(is_sent());
	assert_int_equal(w.sample.pid, INNER_PID);
	assert_int_equal(w.sample.tid, INNER_TID);
}

static void process_that_is_only_in_an_outer_namespace_is_counted_as_foreign(void **state)
{
	(void)state;
	w.tasks[PROCESS].pid.pid.level = 0; /* now the process is in the outer namespace only */
	uw_pidns_level = 1;
	uw_pidns_ino = w.inner.ns.inum;
	assert_false(is_sent());
	assert_int_equal(counters->foreign, 1);
}

static void search_for_a_target_ends_at_a_parent_outside_the_pid_namespace(void **state)
{
	(void)state;
	uw_pidns_level = 1;
	uw_pidns_ino = w.inner.ns.inum;
	set_mode(UW_TARGET_PIDS);
	forget_processes();
	enter_process(1500, UW_PROC_TARGET, 0);
	assert_true(is_sent());
	w.tasks[PARENT].pid.more[0].ns = &w.outer;
	assert_false(is_sent());
}

static void recorder_finds_its_own_pid_namespace(void **state)
{
	(void)state;
	assert_int_equal(uw_whoami(NULL), 0);
	assert_int_equal(uw_pidns_level, 1);
	assert_int_equal(uw_pidns_ino, w.inner.ns.inum);
	w.tasks[THREAD].pid.pid.level = 0;
	assert_int_equal(uw_whoami(NULL), 0);
	assert_int_equal(uw_pidns_level, 0);
	assert_int_equal(uw_pidns_ino, w.outer.ns.inum);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(every_process_is_a_target_in_mode_all),
		T(process_with_the_target_flag_is_a_target),
		T(target_is_found_in_any_of_the_16_entries_that_begin_at_its_hash),
		T(every_descendant_of_a_target_is_also_a_target),
		T(process_is_a_target_if_one_of_its_16_nearest_ancestors_is_a_target),
		T(process_that_starts_later_than_a_target_with_its_pid_is_no_target),
		T(thread_with_a_target_tid_is_sampled),
		T(thread_that_starts_later_than_a_target_with_its_tid_is_no_target),
		T(only_a_process_in_the_cgroup_is_a_target_in_cgroup_mode),
		T(sample_has_the_kernels_pid_if_the_recorder_is_in_the_first_pid_namespace),
		T(sample_has_an_inner_pid_if_the_recorder_is_in_the_inner_pid_namespace),
		T(process_in_a_nested_namespace_has_a_pid_in_the_recorders_namespace),
		T(process_that_is_only_in_an_outer_namespace_is_counted_as_foreign),
		T(search_for_a_target_ends_at_a_parent_outside_the_pid_namespace),
		T(recorder_finds_its_own_pid_namespace),
	};

	return CHECK_RUN(tests);
}
