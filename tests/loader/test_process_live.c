/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the records of the real kernel: many short-lived processes, without a gap; exact
 * counts of lost records; wake-ups; names and mappings of dead processes.
 */

#include "../check.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../loader/process/map_file.h"
#include "../../loader/process/processes.h"
#include "../../loader/process/sideband.h"

#define N_CHILDREN 500

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

struct tally {
	u32 n_forks, n_exits, n_execs, n_out_of_order;
	u64 last_ns;
};

/* Applies all pending events to the table, and counts those of processes in the table. */
static void drain(struct sideband *sb, struct processes *t, u64 until_ns, struct tally *tally)
{
	struct process_event ev;
	struct process *p;

	while (sideband_next(sb, until_ns, &ev)) {
		tally->n_out_of_order += ev.time_ns < tally->last_ns;
		tally->last_ns = ev.time_ns;
		assert_int_equal(processes_apply(t, &ev, &p), 0);
		if (!p || p->pid == (u32)getpid())
			continue;
		tally->n_forks += ev.type == PROCESS_FORK && ev.pid != ev.fork.ppid;
		tally->n_exits += ev.type == PROCESS_EXIT && ev.pid == ev.tid;
		tally->n_execs += ev.type == PROCESS_EXEC;
	}
}

static void start(struct sideband **sb, struct processes **t)
{
	struct process *self;

	assert_int_equal(sideband_new(sb), 0);
	assert_int_equal(processes_new(t, NULL, NULL), 0);
	assert_int_equal(processes_get(*t, getpid(), &self), 0);
}

static pid_t spawn(bool exec)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		if (exec)
			execl("/bin/true", "true", (char *)NULL);
		_exit(exec ? 1 : 0);
	}
	return child;
}

static void every_one_of_many_short_lived_processes_is_known_from_events(void **state)
{
	struct processes *t = NULL;
	struct sideband *sb = NULL;
	struct tally tally = {};
	int status;

	(void)state;
	start(&sb, &t);
	for (int i = 0; i < N_CHILDREN; i++) {
		spawn(i % 2);
		if (i % 8 == 7) { /* a few at a time, spread over all CPUs */
			while (waitpid(-1, &status, 0) > 0)
				assert_int_equal(status, 0);
			drain(sb, t, now_ns() - SIDEBAND_SETTLE_NS, &tally);
		}
	}
	while (waitpid(-1, &status, 0) > 0)
		assert_int_equal(status, 0);
	drain(sb, t, ~0ull, &tally);
	assert_int_equal(tally.n_forks, N_CHILDREN);
	assert_int_equal(tally.n_exits, N_CHILDREN);
	assert_int_equal(tally.n_execs, N_CHILDREN / 2);
	assert_int_equal(tally.n_out_of_order, 0);
	assert_int_equal(sideband_n_lost(sb), 0);
	assert_int_equal(sideband_n_bad(sb), 0);
	assert_int_equal(processes_n_alive(t), 1);
	assert_int_equal(processes_n_dead(t), N_CHILDREN);
	processes_free(&t);
	sideband_free(&sb);
}

/*
 * Negative control: without a reader most records are lost. The records read and lost must add up.
 */
static void records_that_are_lost_because_the_ring_is_full_are_counted(void **state)
{
	size_t page = getpagesize();
	u8 *mem = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sideband *sb = NULL;
	struct process_event ev;
	u64 n_seen = 0, n_lost = 0, n = 60000;
	cpu_set_t all, one;

	(void)state;
	/*
	 * The thread stays on one CPU, so that the ring of this CPU overflows and reports the
	 * loss.
	 */
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_ptr_not_equal(mem, MAP_FAILED);
	assert_int_equal(sideband_new(&sb), 0);
	for (u64 i = 0; i < n; i++) { /* each call writes one record */
		assert_int_equal(mprotect(mem, page, PROT_READ | PROT_EXEC), 0);
		assert_int_equal(mprotect(mem, page, PROT_READ), 0);
	}
	for (int round = 0; round < 3; round++) {
		while (sideband_next(sb, ~0ull, &ev)) {
			n_seen += ev.type == PROCESS_MMAP && ev.pid == (u32)getpid() &&
				  ev.mmap.start_addr == (u64)mem;
			n_lost += ev.type == PROCESS_LOST ? ev.n_lost : 0;
		}
		for (u64 i = 0; !round && i < 100;
		     i++, n++) { /* until there is room for the record that reports the loss */
			assert_int_equal(mprotect(mem, page, PROT_READ | PROT_EXEC), 0);
			assert_int_equal(mprotect(mem, page, PROT_READ), 0);
		}
	}
	assert_true(n_lost > 0);
	assert_int_equal(n_lost, sideband_n_lost(sb));
	/* Records of other processes may be among the lost ones. */
	assert_true(n_seen + n_lost >= n);
	assert_true(n_seen + n_lost < n + 2000);
	munmap(mem, page);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	sideband_free(&sb);
}

static void a_ring_that_fills_up_wakes_the_reader(void **state)
{
	size_t page = getpagesize();
	u8 *mem = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sideband *sb = NULL;
	struct pollfd p = { .events = POLLIN };

	(void)state;
	assert_ptr_not_equal(mem, MAP_FAILED);
	assert_int_equal(sideband_new(&sb), 0);
	p.fd = sideband_fd(sb);
	assert_int_equal(poll(&p, 1, 0), 0);
	for (int i = 0; i < 3000; i++) {
		assert_int_equal(mprotect(mem, page, PROT_READ | PROT_EXEC), 0);
		assert_int_equal(mprotect(mem, page, PROT_READ), 0);
	}
	assert_int_equal(poll(&p, 1, 1000), 1);
	munmap(mem, page);
	sideband_free(&sb);
}

static void events_later_than_the_time_limit_stay_in_the_ring(void **state)
{
	struct sideband *sb = NULL;
	struct process_event ev;
	u64 before;
	u32 child;
	bool seen = false;

	(void)state;
	assert_int_equal(sideband_new(&sb), 0);
	before = now_ns();
	child = spawn(false);
	assert_int_equal(waitpid(child, NULL, 0), child);
	while (sideband_next(sb, before, &ev))
		assert_true(ev.pid != child);
	while (sideband_next(sb, ~0ull, &ev))
		seen |= ev.pid == child && ev.type == PROCESS_FORK;
	assert_true(seen);
	sideband_free(&sb);
}

/*
 * sleep(1) has exited and was never read from /proc; its executable is opened by the path in
 * an event.
 */
static void a_process_that_was_never_read_from_proc_is_known_from_events(void **state)
{
	struct processes *t = NULL;
	struct sideband *sb = NULL;
	struct tally tally = {};
	struct process *p = NULL, *dead = NULL;
	struct process_event ev;
	u32 child;
	int fd = -1;

	(void)state;
	start(&sb, &t);
	child = spawn(true);
	assert_int_equal(waitpid(child, NULL, 0), child);
	while (sideband_next(sb, ~0ull, &ev)) {
		assert_int_equal(processes_apply(t, &ev, &p), 0);
		if (p && p->pid == child)
			dead = p;
	}
	assert_non_null(dead);
	assert_true(dead->exit_ns > dead->exec_ns && dead->exec_ns > dead->born_ns);
	assert_string_equal(dead->comm, "true");
	assert_string_equal(dead->name, "true");
	assert_true(dead->maps->n >= 2); /* at least the executable and its interpreter */
	for (u32 i = 0; i < dead->maps->n; i++) {
		const struct mapping *m = &dead->maps->v[i];
		struct map_file f = { dead->pid,     dead->ppid,
				      m->start_addr, m->end_addr,
				      m->inode,	     m->inode_gen,
				      m->dev_major,  m->dev_minor,
				      m->seen_ns,    m->path ? m->path->text : "" };
		char magic[4] = {};

		if (!m->inode)
			continue;
		assert_int_equal(map_file_open(&f, &fd), 0);
		assert_int_equal(read(fd, magic, 4), 4);
		assert_memory_equal(magic, "\177ELF", 4);
		close(fd);
	}
	drain(sb, t, ~0ull, &tally);
	processes_free(&t);
	sideband_free(&sb);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_one_of_many_short_lived_processes_is_known_from_events),
	cmocka_unit_test(records_that_are_lost_because_the_ring_is_full_are_counted),
	cmocka_unit_test(a_ring_that_fills_up_wakes_the_reader),
	cmocka_unit_test(events_later_than_the_time_limit_stay_in_the_ring),
	cmocka_unit_test(a_process_that_was_never_read_from_proc_is_known_from_events),
};

int main(void)
{
	struct sideband *sb = NULL;
	int err = sideband_new(&sb);

	if (err == -EACCES || err == -EPERM || err == -ENOSYS || err == -ENOENT)
		return check_cannot_run(
			"this user has no permission to open perf events of all processes");
	sideband_free(&sb);
	return CHECK_RUN(tests);
}
