// SPDX-License-Identifier: BSD-2-Clause
/*
 * storm COUNT AT_ONCE [MICROSECONDS]: starts COUNT processes, AT_ONCE at a time. Each of them works
 * for MICROSECONDS of CPU time (default 1,000), in a second thread, in its only thread, or after it
 * has executed this program with a COUNT of 0, and exits.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;
static long work_us = 1000;

__attribute__((noinline)) void *storm_work(void *unused)
{
	clock_t end = clock() + work_us * (CLOCKS_PER_SEC / 1000000);

	while (clock() < end)
		for (int i = 0; i < 2000; i++)
			sink += (unsigned)i;
	return unused;
}

static void live_briefly(long i)
{
	pthread_t thread;
	char us[24];

	snprintf(us, sizeof(us), "%ld", work_us);
	if (i % 4 == 1)
		execl("/proc/self/exe", "storm", "0", "0", us, NULL);
	if (i % 4 == 0 && !pthread_create(&thread, NULL, storm_work, NULL))
		pthread_join(thread, NULL);
	else
		storm_work(NULL);
	_exit(0);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000, at_once = argc > 2 ? atol(argv[2]) : 8;

	if (argc > 3)
		work_us = atol(argv[3]);
	if (!count)
		live_briefly(2);
	for (long i = 0; i < count; i++) {
		pid_t pid;

		if (i >= at_once)
			wait(NULL);
		pid = fork();
		if (!pid)
			live_briefly(i);
		if (pid < 0)
			return 1;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
