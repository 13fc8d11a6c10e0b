// SPDX-License-Identifier: BSD-2-Clause

/* Reads walks that the kernel records, while they are written and afterwards. */

#include "../check.h"
#include "kernel.h"

#include <pthread.h>
#include <unistd.h>

#define N_STEPS 32 /* steps per walk of kernel.bpf.c */

static struct kernel kernel;
static int cpus[2] = { -1, -1 };

static void assert_step(const struct fl_entry *e, u64 walk)
{
	u64 i = e->detail;

	assert_true(i < N_STEPS);
	assert_true(e->d[0] == walk && e->d[1] == i && e->d[2] == walk + i &&
		    e->d[3] == (walk ^ i) && e->d[4] == ~walk);
}

/* Checks the words of an entry; walks are numbered from 1. */
static void assert_entry(const struct fl_entry *e)
{
	u64 walk = e->walk - 1;

	if (e->event == FLIGHT_STEP)
		assert_step(e, walk);
	else if (e->event == FLIGHT_BEGIN)
		assert_true(e->d[1] == (7ull << 32 | 8) && e->d[2] == walk && e->detail == 3);
	else
		assert_true(e->event == FLIGHT_END && e->d[3] == walk && e->d[2] == N_STEPS);
}

static void user_space_reads_walks_recorded_in_the_kernel(void **state)
{
	struct fl_cursor c = { 0 };
	struct fl_entry e;

	(void)state;
	assert_int_equal(kernel_load(&kernel, 1024, cpus[0]), 0);
	assert_true(kernel_run(kernel.skel->progs.record_walk, 10) >= 0);
	for (u64 i = 0; i < 10ull * (N_STEPS + 2); i++) {
		assert_int_equal(fl_ring_read(&kernel.ring, &c, &e), FL_ENTRY);
		assert_int_equal(e.walk, i / (N_STEPS + 2) + 1);
		assert_entry(&e);
	}
	assert_int_equal(fl_ring_read(&kernel.ring, &c, &e), FL_END);
	kernel_unload(&kernel);
}

static void user_space_reads_entries_that_span_several_slots(void **state)
{
	struct fl_cursor c = { 0 };
	struct fl_entry e;

	(void)state;
	assert_int_equal(kernel_load(&kernel, 32, cpus[0]), 0);
	for (u64 walk = 0; walk < 100; walk++) {
		assert_true(kernel_run(kernel.skel->progs.record_group, 1) >= 0);
		assert_int_equal(fl_ring_read(&kernel.ring, &c, &e), FL_ENTRY);
		assert_int_equal(e.n_slots, 3);
		assert_true(e.d[0] == walk && e.d[2] == walk + 2 && e.d[18] == ~walk);
	}
	kernel_unload(&kernel);
}

static void no_entry_is_written_for_an_event_whose_mask_bit_is_clear(void **state)
{
	(void)state;
	assert_int_equal(kernel_load(&kernel, 64, cpus[0]), 0);
	kernel.skel->data_flight->flight_page.mask = 0;
	assert_true(kernel_run(kernel.skel->progs.record_walk, 10) >= 0);
	assert_int_equal(kernel.ring.ring->next, 0);
	kernel.skel->data_flight->flight_page.mask = 1 << FLIGHT_END;
	assert_true(kernel_run(kernel.skel->progs.record_walk, 10) >= 0);
	assert_int_equal(kernel.ring.ring->next, 10);
	kernel_unload(&kernel);
}

static bool is_done;

static void *write_all(void *data)
{
	(void)data;
	while (!__atomic_load_n(&is_done, __ATOMIC_RELAXED) &&
	       kernel_run(kernel.skel->progs.record_walk, 10000) >= 0)
		;
	return NULL;
}

/* The writer, in the kernel on one CPU, laps this reader on another CPU again and again. */
static void no_entry_is_torn_while_the_kernel_writes(void **state)
{
	static const u64 n_slots[] = { 32, 16384 };

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct fl_cursor c = { 0 };
		struct fl_entry e;
		pthread_t writer;
		cpu_set_t set;
		u64 n = 0;

		assert_int_equal(kernel_load(&kernel, n_slots[i], cpus[0]), 0);
		is_done = false;
		assert_int_equal(pthread_create(&writer, NULL, write_all, NULL), 0);
		CPU_ZERO(&set);
		CPU_SET(cpus[1] < 0 ? cpus[0] : cpus[1], &set);
		assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
		while (n < 50000)
			if (fl_ring_read(&kernel.ring, &c, &e) == FL_ENTRY) {
				assert_entry(&e);
				n++;
			} else {
				sched_yield();
			}
		__atomic_store_n(&is_done, true, __ATOMIC_RELAXED);
		pthread_join(writer, NULL);
		assert_int_equal(c.read, n);
		assert_int_equal(c.read + c.lost, c.at);
		kernel_unload(&kernel);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_space_reads_walks_recorded_in_the_kernel),
		cmocka_unit_test(user_space_reads_entries_that_span_several_slots),
		cmocka_unit_test(no_entry_is_written_for_an_event_whose_mask_bit_is_clear),
		cmocka_unit_test(no_entry_is_torn_while_the_kernel_writes),
	};
	cpu_set_t set;
	int n = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &set))
			cpus[n++] = i;
	if (kernel_load(&kernel, 32, cpus[0]) == -EPERM)
		return check_cannot_run("this process has no permission to load BPF programs");
	kernel_unload(&kernel);
	return CHECK_RUN(tests);
}
