/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the table of processes with synthetic events. All pids are larger than any real one
 * (PID_MAX_LIMIT is 2^22), so that /proc does not have them, except where a test uses real
 * ones.
 */

#include "../check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../loader/process/processes.h"

#define BASE 0x10000000u

static u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

static struct process *apply(struct processes *t, struct process_event ev)
{
	struct process *p = NULL;

	if (!ev.tid)
		ev.tid = ev.pid;
	assert_int_equal(processes_apply(t, &ev, &p), 0);
	return p;
}

#define FORK(parent, child, ns)                                                                    \
	(struct process_event)                                                                     \
	{                                                                                          \
		.type = PROCESS_FORK, .time_ns = (ns), .pid = (child), .fork = {                   \
			(parent),                                                                  \
			(parent)                                                                   \
		}                                                                                  \
	}
#define THREAD(process, thread, ns)                                                                \
	(struct process_event)                                                                     \
	{                                                                                          \
		.type = PROCESS_FORK, .time_ns = (ns), .pid = (process), .tid = (thread),          \
		.fork = {                                                                          \
			(process),                                                                 \
			(process)                                                                  \
		}                                                                                  \
	}
#define EXIT(process, thread, ns)                                                                  \
	(struct process_event)                                                                     \
	{                                                                                          \
		.type = PROCESS_EXIT, .time_ns = (ns), .pid = (process), .tid = (thread)           \
	}
#define EXEC(process, ns, name)                                                                    \
	(struct process_event)                                                                     \
	{                                                                                          \
		.type = PROCESS_EXEC, .time_ns = (ns), .pid = (process), .comm = name              \
	}
#define COMM(process, thread, ns, name)                                                            \
	(struct process_event)                                                                     \
	{                                                                                          \
		.type = PROCESS_COMM, .time_ns = (ns), .pid = (process), .tid = (thread),          \
		.comm = name                                                                       \
	}
#define MMAP(process, ns, start, file)                                                             \
	(struct process_event)                                                                     \
	{                                                                                          \
		.type = PROCESS_MMAP, .time_ns = (ns), .pid = (process), .mmap = {                 \
			.start_addr = (start),                                                     \
			.len = 0x1000,                                                             \
			.inode = 9,                                                                \
			.path = file                                                               \
		}                                                                                  \
	}

/* Makes a table with this process, loaded from /proc; it is the parent of all other processes. */
static struct processes *table_with_self(void)
{
	struct processes *t = NULL;
	struct process *self = NULL;

	assert_int_equal(processes_new(&t, NULL, NULL), 0);
	assert_int_equal(processes_get(t, getpid(), &self), 0);
	assert_ptr_equal(processes_alive(t, getpid()), self);
	return t;
}

static void a_child_has_the_parents_mappings_until_exec(void **state)
{
	struct processes *t = table_with_self();
	struct process *self = processes_alive(t, getpid()), *p;
	u64 now = clock_ns(CLOCK_MONOTONIC);

	(void)state;
	p = apply(t, FORK(getpid(), BASE, now));
	assert_int_equal(p->pid, BASE);
	assert_int_equal(p->ppid, getpid());
	assert_string_equal(p->name, self->name);
	assert_ptr_equal(p->maps, self->maps);
	assert_true(p->maps->n > 0);

	assert_ptr_equal(apply(t, EXEC(BASE, now + 1, "sleep")), p);
	assert_int_equal(p->maps->n, 0);
	assert_string_equal(p->comm, "sleep");
	assert_int_equal(p->n_execs, 1);
	assert_null(p->exe);
	apply(t, MMAP(BASE, now + 2, 0x40000, "/usr/bin/coreutils-sleep"));
	apply(t, MMAP(BASE, now + 3, 0x80000, "/lib/ld.so"));
	assert_string_equal(p->exe, "/usr/bin/coreutils-sleep");
	assert_string_equal(p->name, "coreutils-sleep");
	assert_int_equal(p->maps->n, 2);
	assert_string_equal(mappings_find(p->maps, 0x80010)->path->text, "/lib/ld.so");
	assert_true(self->maps->n > 2);
	processes_free(&t);
}

static void events_of_unknown_processes_are_ignored(void **state)
{
	struct processes *t = table_with_self();

	(void)state;
	assert_null(apply(t, FORK(BASE, BASE + 1, 1)));
	assert_null(apply(t, THREAD(BASE, BASE + 1, 1)));
	assert_null(apply(t, EXEC(BASE, 1, "x")));
	assert_null(apply(t, MMAP(BASE, 1, 0x1000, "/x")));
	assert_null(apply(t, EXIT(BASE, BASE, 1)));
	assert_int_equal(processes_n_alive(t), 1);
	processes_free(&t);
}

static void a_process_ends_when_its_last_thread_ends(void **state)
{
	struct processes *t = table_with_self();
	u64 now = clock_ns(CLOCK_MONOTONIC);
	struct process *p = apply(t, FORK(getpid(), BASE, now));

	(void)state;
	apply(t, THREAD(BASE, BASE + 1, now + 1));
	apply(t, COMM(BASE, BASE + 1, now + 2, "worker"));
	apply(t, THREAD(BASE, BASE + 2, now + 3));
	assert_string_equal(process_thread_name(p, BASE + 1), "worker");
	assert_null(process_thread_name(p, BASE + 7));
	apply(t, EXIT(BASE, BASE, now + 4)); /* as if main() had called pthread_exit() */
	assert_int_equal(p->exit_ns, 0);
	apply(t, EXIT(BASE, BASE + 1, now + 5));
	assert_int_equal(p->exit_ns, 0);
	assert_ptr_equal(apply(t, EXIT(BASE, BASE + 2, now + 6)), p);
	assert_int_equal(p->exit_ns, now + 6);
	assert_null(processes_alive(t, BASE));
	processes_free(&t);
}

static void a_thread_that_calls_exec_becomes_the_main_thread_with_the_process_pid(void **state)
{
	struct processes *t = table_with_self();
	u64 now = clock_ns(CLOCK_MONOTONIC);
	struct process *p = apply(t, FORK(getpid(), BASE, now));

	(void)state;
	apply(t, THREAD(BASE, BASE + 1, now + 1));
	apply(t, THREAD(BASE, BASE + 2, now + 2));
	apply(t, EXIT(BASE, BASE + 1, now + 3)); /* exec in thread BASE + 2 ends the others */
	apply(t, EXIT(BASE, BASE, now + 4));
	apply(t, EXEC(BASE, now + 5, "new"));
	assert_int_equal(p->exit_ns, 0);
	assert_int_equal(p->n_threads, 1);
	assert_string_equal(process_thread_name(p, BASE), "new");
	apply(t, EXIT(BASE, BASE, now + 6));
	assert_int_equal(p->exit_ns, now + 6);
	processes_free(&t);
}

static void a_sample_belongs_to_the_process_that_had_the_pid_at_that_time(void **state)
{
	struct processes *t = table_with_self();
	u64 now = clock_ns(CLOCK_MONOTONIC), ms = 1000000;
	u64 ahead = clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC);
	struct process *first = apply(t, FORK(getpid(), BASE, now)), *second, *self;

	(void)state;
	apply(t, EXIT(BASE, BASE, now + 100 * ms));
	second = apply(t, FORK(getpid(), BASE, now + 200 * ms));
	assert_ptr_not_equal(first, second);
	assert_ptr_equal(processes_alive(t, BASE), second);
	/* the kernel sets start_boottime shortly before it writes the record */
	assert_ptr_equal(processes_find(t, BASE, now + ahead - ms), first);
	assert_ptr_equal(processes_find(t, BASE, now + ahead + 199 * ms), second);
	assert_int_equal(second->start_ns, (now + ahead + 199 * ms) / 10000000 * 10000000);
	assert_null(processes_find(t, BASE, now + ahead + 5000 * ms));
	assert_null(processes_find(t, BASE, now + ahead - 5000 * ms));
	assert_null(processes_find(t, BASE + 1, now + ahead));

	self = processes_alive(t, getpid());
	assert_ptr_equal(processes_find(t, getpid(), self->start_ns + 9999999), self);
	assert_null(processes_find(t, getpid(), self->start_ns + 10000000));
	processes_free(&t);
}

static void a_fork_with_the_pid_of_a_live_process_ends_that_process(void **state)
{
	struct processes *t = table_with_self();
	u64 now = clock_ns(CLOCK_MONOTONIC);
	struct process *first = apply(t, FORK(getpid(), BASE, now));
	struct process *second = apply(t, FORK(getpid(), BASE, now + 50));

	(void)state;
	assert_ptr_not_equal(first, second);
	assert_int_equal(first->exit_ns, now + 50);
	assert_int_equal(processes_n_dead(t), 1);
	processes_free(&t);
}

static void events_that_are_older_than_the_read_of_proc_are_ignored(void **state)
{
	struct processes *t = table_with_self();
	struct process *p = processes_alive(t, getpid());
	u32 n = p->maps->n, n_threads = p->n_threads;

	(void)state;
	apply(t, MMAP(getpid(), p->loaded_ns, 0x1000, "/x"));
	apply(t, COMM(getpid(), getpid(), p->loaded_ns, "older"));
	apply(t, EXEC(getpid(), p->loaded_ns - 1, "older"));
	assert_int_equal(p->maps->n, n);
	assert_int_equal(p->n_threads, n_threads);
	assert_string_not_equal(p->comm, "older");
	assert_int_equal(p->n_execs, 1); /* samples from before are of another image */
	assert_non_null(p->exe);
	apply(t, MMAP(getpid(), p->loaded_ns + 1, 0x1000, "/x"));
	assert_int_equal(p->maps->n, n + 1);
	processes_free(&t);
}

static void count_free(struct process *p, void *data)
{
	(void)p;
	++*(u32 *)data;
}

static void the_number_of_exited_processes_that_are_kept_is_limited(void **state)
{
	struct processes *t = NULL;
	struct process *p = NULL;
	u32 n_freed = 0, n = PROCESSES_MAX_DEAD + 100;

	(void)state;
	assert_int_equal(processes_new(&t, count_free, &n_freed), 0);
	assert_int_equal(processes_get(t, getpid(), &p), 0);
	for (u32 i = 0; i < n; i++) {
		u64 ns = p->loaded_ns + 10 * i + 1;

		apply(t, FORK(getpid(), BASE + i, ns));
		apply(t, EXIT(BASE + i, BASE + i, ns + 1));
	}
	assert_int_equal(processes_n_alive(t), 1);
	assert_int_equal(processes_n_dead(t), PROCESSES_MAX_DEAD);
	assert_int_equal(processes_n_forgotten(t), 100);
	assert_int_equal(n_freed, 100);
	processes_reap(t, p->loaded_ns + 10 * (n - 50) + 2);
	assert_int_equal(processes_n_dead(t), 50);
	assert_int_equal(n_freed, n - 50);
	processes_free(&t);
	assert_int_equal(n_freed, n + 1);
}

static void the_number_of_live_processes_is_limited(void **state)
{
	struct processes *t = table_with_self();
	struct process_event ev = FORK(getpid(), 0, clock_ns(CLOCK_MONOTONIC));
	struct process *p;

	(void)state;
	for (u32 i = 1; i < PROCESSES_MAX_ALIVE; i++) {
		ev.pid = ev.tid = BASE + i;
		assert_int_equal(processes_apply(t, &ev, &p), 0);
	}
	ev.pid = ev.tid = BASE;
	assert_int_equal(processes_apply(t, &ev, &p), -ENOSPC);
	assert_int_equal(processes_n_alive(t), PROCESSES_MAX_ALIVE);
	processes_free(&t);
}

static void *name_and_wait(void *pipe_fds)
{
	const int *fds = pipe_fds;
	char c;

	prctl(PR_SET_NAME, "named-thread");
	assert_int_equal(write(fds[0], "x", 1), 1);
	(void)!read(fds[1], &c, 1);
	return NULL;
}

static void all_data_of_the_test_process_is_loaded_from_proc(void **state)
{
	struct process *p = process_new(getpid());
	int ready[2], quit[2], fds[2];
	char exe[4096] = {}, c;
	pthread_t thread;
	bool found = false;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(quit), 0);
	fds[0] = ready[1];
	fds[1] = quit[0];
	assert_int_equal(pthread_create(&thread, NULL, name_and_wait, fds), 0);
	assert_int_equal(read(ready[0], &c, 1), 1);

	assert_int_equal(process_load(p), 0);
	assert_int_equal(p->ppid, getppid());
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_string_equal(p->exe, exe);
	assert_string_equal(p->name, strrchr(exe, '/') + 1);
	assert_true(p->start_ns && p->start_ns <= clock_ns(CLOCK_BOOTTIME));
	assert_true(p->start_ns + 600000000000ull > clock_ns(CLOCK_BOOTTIME));
	assert_false(p->is_kernel_thread);
	assert_int_equal(p->n_threads, 2);
	for (u32 i = 0; i < p->n_threads; i++)
		found |= !strcmp(process_thread_name(p, p->threads[i].tid), "named-thread");
	assert_true(found);
	assert_string_equal(
		mappings_find(p->maps, (u64)all_data_of_the_test_process_is_loaded_from_proc)
			->path->text,
		exe);

	assert_int_equal(write(quit[1], "x", 1), 1);
	pthread_join(thread, NULL);
	process_free(&p);
}

static void loading_from_proc_fails_if_the_process_exited_or_the_pid_was_reused(void **state)
{
	struct process *p = process_new(getpid());
	pid_t child = fork();

	(void)state;
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(process_load(p), 0);
	p->start_ns -= 3 * PROCESS_TICK_NS; /* as if the pid had been reused by another process */
	assert_int_equal(process_load(p), -ESRCH);
	p->pid = child;
	p->start_ns = 0;
	assert_int_equal(process_load(p), -ESRCH);
	process_free(&p);
}

#define OTHER_NAME "not-the-file's"

/*
 * Forks a child that, on a signal, executes a program under a name that differs from the
 * file's name.
 */
static pid_t fork_one_that_execs(int *go)
{
	int fds[2];
	pid_t child;
	char c;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (!child) {
		close(fds[1]);
		if (read(fds[0], &c, 1) >= 0)
			execl("/bin/sleep", OTHER_NAME, "60", (char *)NULL);
		_exit(1);
	}
	close(fds[0]);
	*go = fds[1];
	return child;
}

static void end(pid_t child)
{
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* Waits up to 10 s until /proc shows all of the new image. */
static void await_exec(pid_t child)
{
	struct process *p = NULL;

	for (int ms = 0; ms < 10000; ms++) {
		p = process_new(child);
		if (!process_load(p) && !strcmp(p->name, OTHER_NAME))
			break;
		process_free(&p);
		usleep(1000);
	}
	assert_non_null(p);
	process_free(&p);
}

/* The event for a mapping of an executable. */
static struct process_event first_mapping(u32 pid, u64 time_ns)
{
	struct process_event ev = MMAP(pid, time_ns, 0x1000, "/bin/sleep");

	ev.mmap.len = 1ull << 47;
	return ev;
}

static void loading_from_proc_never_mixes_two_images_of_one_process_during_an_exec(void **state)
{
	u32 n_waited = 0;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct process *p = NULL;
		bool is_done = false;
		int go, err;
		pid_t child = fork_one_that_execs(&go);

		close(go);
		while (!is_done) {
			process_free(&p);
			p = process_new(child);
			err = process_load(p);
			assert_true(err == 0 || err == -EAGAIN);
			is_done = !strcmp(p->name, OTHER_NAME);
			if (err) {
				n_waited++;
				assert_string_equal(p->name, "");
				assert_null(p->exe);
				assert_true(process_is_unread(p));
				assert_int_equal(p->ppid, getpid());
			} else if (!is_done) {
				assert_string_equal(p->name, "test_process_processes");
			}
		}
		assert_string_equal(strrchr(p->exe, '/'), "/sleep");
		process_free(&p);
		end(child);
	}
	print_message("the process was read %u times during an exec\n", n_waited);
	assert_true(n_waited > 0);
}

static void an_image_that_was_read_from_proc_before_the_exec_event_is_not_used(void **state)
{
	struct processes *t = table_with_self();
	u64 now = clock_ns(CLOCK_MONOTONIC);
	struct process *p;
	int go;
	pid_t child = fork_one_that_execs(&go);

	(void)state;
	p = apply(t, FORK(getpid(), child, now));
	assert_int_equal(process_load(p), 0);
	assert_string_equal(p->name, processes_alive(t, getpid())->name);
	close(go);
	await_exec(child);
	assert_int_equal(process_load(p), -ESTALE);
	assert_string_equal(p->name, processes_alive(t, getpid())->name);
	assert_int_equal(p->nspid, child);

	now = clock_ns(CLOCK_MONOTONIC);
	apply(t, EXEC(child, now, "sleep"));
	assert_string_equal(p->name, "sleep"); /* only the event contains the name */
	assert_true(process_is_unread(p));
	assert_int_equal(process_load(p), -EAGAIN); /* /proc could already show the next image */
	apply(t, first_mapping(child, now + 1));
	assert_int_equal(process_load(p), 0);
	assert_string_equal(p->name, OTHER_NAME);
	assert_false(process_is_unread(p));
	end(child);
	processes_free(&t);
}

/* "env node": only the events show the first exec, because /proc already has the second image. */
static void an_image_known_only_from_events_does_not_get_the_next_images_name(void **state)
{
	struct processes *t = table_with_self();
	u64 now = clock_ns(CLOCK_MONOTONIC);
	struct process *p;
	int go;
	pid_t child = fork_one_that_execs(&go);

	(void)state;
	p = apply(t, FORK(getpid(), child, now));
	apply(t, EXEC(child, now + 1, "env"));
	apply(t, MMAP(child, now + 2, 0x40000, "/usr/bin/env"));
	close(go);
	await_exec(child);
	assert_int_equal(process_load(p), -ESTALE);
	assert_string_equal(p->name, "env");
	apply(t, EXEC(child, now + 3, "sleep"));
	apply(t, first_mapping(child, now + 4));
	assert_int_equal(process_load(p), 0);
	assert_string_equal(p->name, OTHER_NAME);
	end(child);
	processes_free(&t);
}

static void resync_with_proc_finds_an_exec_whose_event_was_lost(void **state)
{
	struct processes *t = table_with_self();
	struct process *p;
	int go;
	pid_t child = fork_one_that_execs(&go);

	(void)state;
	p = apply(t, FORK(getpid(), child, clock_ns(CLOCK_MONOTONIC)));
	assert_int_equal(processes_resync(t), 0);
	assert_int_equal(p->n_execs, 0);
	close(go);
	await_exec(child);
	assert_int_equal(processes_resync(t), 0);
	assert_int_equal(p->n_execs, 1);
	assert_string_equal(p->name, OTHER_NAME);
	assert_int_equal(processes_resync(t), 0);
	assert_int_equal(p->n_execs, 1);
	end(child);
	processes_free(&t);
}

static void resync_makes_the_table_match_proc_after_events_were_lost(void **state)
{
	struct processes *t = table_with_self();
	u64 now = clock_ns(CLOCK_MONOTONIC);
	pid_t child = fork();

	(void)state;
	if (!child) {
		pause();
		_exit(0);
	}
	apply(t, FORK(getpid(), BASE, now)); /* its exit is never reported */
	assert_int_equal(processes_resync(t), 0);
	assert_null(processes_alive(t, BASE));
	assert_int_equal(processes_n_dead(t), 1);
	assert_non_null(processes_alive(t, child));
	assert_int_equal(processes_alive(t, child)->ppid, getpid());
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(processes_resync(t), 0);
	assert_null(processes_alive(t, child));
	processes_free(&t);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_child_has_the_parents_mappings_until_exec),
	cmocka_unit_test(events_of_unknown_processes_are_ignored),
	cmocka_unit_test(a_process_ends_when_its_last_thread_ends),
	cmocka_unit_test(a_thread_that_calls_exec_becomes_the_main_thread_with_the_process_pid),
	cmocka_unit_test(a_sample_belongs_to_the_process_that_had_the_pid_at_that_time),
	cmocka_unit_test(a_fork_with_the_pid_of_a_live_process_ends_that_process),
	cmocka_unit_test(events_that_are_older_than_the_read_of_proc_are_ignored),
	cmocka_unit_test(the_number_of_exited_processes_that_are_kept_is_limited),
	cmocka_unit_test(the_number_of_live_processes_is_limited),
	cmocka_unit_test(all_data_of_the_test_process_is_loaded_from_proc),
	cmocka_unit_test(loading_from_proc_fails_if_the_process_exited_or_the_pid_was_reused),
	cmocka_unit_test(loading_from_proc_never_mixes_two_images_of_one_process_during_an_exec),
	cmocka_unit_test(an_image_that_was_read_from_proc_before_the_exec_event_is_not_used),
	cmocka_unit_test(an_image_known_only_from_events_does_not_get_the_next_images_name),
	cmocka_unit_test(resync_with_proc_finds_an_exec_whose_event_was_lost),
	cmocka_unit_test(resync_makes_the_table_match_proc_after_events_were_lost),
};

int main(void)
{
	return CHECK_RUN(tests);
}
