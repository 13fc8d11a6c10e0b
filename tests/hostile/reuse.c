// SPDX-License-Identifier: BSD-2-Clause
/*
 * reuse: starts a process that works in target_work(), prints its pid, and ends it after a line of
 * input. Another process, which works in stranger_work() for 500 ms, gets the
 * same pid at once.. Needs
 * CAP_CHECKPOINT_RESTORE, because the pid is chosen with clone3().
 */

#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STRANGER_NS 500000000LL

static volatile unsigned sink;

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) void target_work(long long end_ns)
{
	while (now_ns() < end_ns)
		for (int i = 0; i < 2000; i++)
			sink += (unsigned)i;
}

__attribute__((noinline)) void stranger_work(long long end_ns)
{
	while (now_ns() < end_ns)
		for (int i = 0; i < 2000; i++)
			sink -= (unsigned)i;
}

static pid_t clone_as(pid_t pid)
{
	pid_t tid[] = { pid };
	struct clone_args args = { .exit_signal = SIGCHLD,
				   .set_tid = (uint64_t)(uintptr_t)tid,
				   .set_tid_size = 1 };

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

int main(void)
{
	pid_t target = fork(), stranger;

	if (!target)
		target_work(INT64_MAX);
	printf("%d\n", target);
	fflush(stdout);
	getchar();
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	stranger = clone_as(target);
	if (!stranger) {
		stranger_work(now_ns() + STRANGER_NS);
		_exit(0);
	}
	if (stranger < 0) {
		perror("clone3");
		return 1;
	}
	waitpid(stranger, NULL, 0);
	return 0;
}
