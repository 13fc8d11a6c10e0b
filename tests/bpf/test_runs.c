// SPDX-License-Identifier: BSD-2-Clause

/*
 * How a run of the program ends: it increments exactly one counter, and sends a
 * sample only if that is the counter of sent samples.
 */

#include "world.h"

#define EXITING 0x4 /* PF_EXITING of include/linux/sched.h at v6.12 */

static void nothing(void)
{
}

static void idle_task_runs(void)
{
	fake.ids = 0;
}

static void cpu_has_no_slot(void)
{
	fake.arrays[0].n = CPU;
}

static void thread_is_exiting(void)
{
	thread->flags = EXITING;
}

static void leader_is_exiting(void)
{
	leader->flags = EXITING;
}

static void namespace_is_another(void)
{
	uw_pidns_level = 1;
	uw_pidns_ino = w.inner.ns.inum + 1;
}

static void nobody_wants_it(void)
{
	set_mode(UW_TARGET_TIDS);
}

static void ring_is_full(void)
{
	fake.full_ring = &uw_ring;
}

/* All three conditions hold; the run is counted by the condition that is checked first. */
static void idle_task_is_exiting_and_unwanted(void)
{
	idle_task_runs();
	thread_is_exiting();
	nobody_wants_it();
}

static void exiting_thread_of_another_namespace(void)
{
	thread_is_exiting();
	namespace_is_another();
}

static void unwanted_process_of_another_namespace(void)
{
	namespace_is_another();
	nobody_wants_it();
}

#define COUNT(c) (offsetof(struct uw_counters, c) / 8)
#define FIRST_COUNT COUNT(idle)
#define LAST_COUNT COUNT(sent)

static const struct row {
	const char *name;
	void (*change)(void);
	size_t count;
} rows[] = {
	{ "an ordinary run sends a sample", nothing, COUNT(sent) },
	{ "the idle task runs", idle_task_runs, COUNT(idle) },
	{ "the loader allocated no slot for the CPU", cpu_has_no_slot, COUNT(idle) },
	{ "the thread is exiting", thread_is_exiting, COUNT(exiting) },
	{ "another thread is exiting", leader_is_exiting, COUNT(sent) },
	{ "the recorder's PID namespace does not contain the process", namespace_is_another,
	  COUNT(foreign) },
	{ "the process is not a target", nobody_wants_it, COUNT(unwanted) },
	{ "the ring is full", ring_is_full, COUNT(no_room) },
	{ "an idle task that is exiting and not a target is counted as idle",
	  idle_task_is_exiting_and_unwanted, COUNT(idle) },
	{ "an exiting thread of another namespace is counted as exiting",
	  exiting_thread_of_another_namespace, COUNT(exiting) },
	{ "a non-target process of another namespace is counted as foreign",
	  unwanted_process_of_another_namespace, COUNT(foreign) },
};

/* Checks that counter @count was incremented by one, and no other counter. */
static void assert_counted(size_t count, const char *name)
{
	const u64 *counts = (const u64 *)counters;

	assert_int_equal(counters->runs, 1);
	for (size_t i = FIRST_COUNT; i <= LAST_COUNT; i++)
		if (counts[i] != (i == count))
			fail_msg("%s: counter %zu has the unexpected value %llu", name, i,
				 counts[i]);
}

static void each_run_increments_exactly_one_outcome_counter(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct uw_sample *s;

		world_begin();
		rows[i].change();
		s = run();
		assert_counted(rows[i].count, rows[i].name);
		if ((s != NULL) != (rows[i].count == COUNT(sent)))
			fail_msg("%s: sent %u", rows[i].name, fake.n_sent);
		world_end();
	}
}

/* Every CPU with a slot has its own counters; CPUs beyond the slots share them. */
static void each_cpu_has_its_own_counters(void **state)
{
	static const u32 cpus[] = { 0, 1, 511, UW_MAX_CPUS - 1, UW_MAX_CPUS };

	(void)state;
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		u32 mine = cpus[i] % UW_MAX_CPUS;

		memset(uw_counters, 0, sizeof(uw_counters));
		fake.cpu = cpus[i];
		run();
		for (u32 c = 0; c < UW_MAX_CPUS; c++)
			assert_int_equal(uw_counters[c].runs, c == mine);
	}
}

static void length_of_a_sample_in_bytes_matches_the_number_of_frames(void **state)
{
	static const u32 counts[] = { 2, 3, 31, 32, 33, 64, 65, 1023, 1024 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct stack stack = chain(counts[i], 0, CHAIN_STRIDE);

		world_begin_on(&stack);
		assert_non_null(run());
		assert_int_equal(w.sample.n_frames, counts[i]);
		assert_int_equal(w.sample.status, UW_END);
		assert_int_equal(fake.sent[0].len, 160 + 32 * counts[i]);
		assert_ptr_equal(fake.sent[0].ring, &uw_ring);
		assert_int_equal(fake.sent[0].flags, BPF_RB_NO_WAKEUP);
		world_end();
	}
}

static void stack_of_1025_frames_ends_at_the_depth_limit(void **state)
{
	struct stack stack = chain(1025, 0, CHAIN_STRIDE);

	(void)state;
	world_begin_on(&stack);
	assert_non_null(run());
	assert_int_equal(w.sample.n_frames, UW_MAX_FRAMES);
	assert_int_equal(w.sample.status, UW_T_DEPTH);
	assert_int_equal(fake.sent[0].len, sizeof(struct uw_sample));
	world_end();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_run_increments_exactly_one_outcome_counter),
		T(each_cpu_has_its_own_counters),
		cmocka_unit_test(length_of_a_sample_in_bytes_matches_the_number_of_frames),
		cmocka_unit_test(stack_of_1025_frames_ends_at_the_depth_limit),
	};

	return CHECK_RUN(tests);
}
