// SPDX-License-Identifier: BSD-2-Clause
/*
 * forks [exec]: starts children without frame pointers, one after another,
 * forever. Each child runs for some milliseconds. With `exec` a child executes
 * this program again, under the name "other".
 */

#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define LIFE_NS 4000000

volatile unsigned sink;

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

NOINLINE void burn(unsigned n)
{
	while (n--)
		sink += n;
}

NOINLINE void child_work(void)
{
	for (long long end = now_ns() + LIFE_NS; now_ns() < end;)
		burn(1000);
}

NOINLINE void other_work(void)
{
	child_work();
	sink++;
}

static void run_child(char **argv)
{
	if (argv[1])
		execl("/proc/self/exe", "other", NULL);
	child_work();
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc > 0 && !strcmp(argv[0], "other")) {
		other_work();
		return 0;
	}
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			run_child(argv);
		waitpid(pid, NULL, 0);
	}
}
