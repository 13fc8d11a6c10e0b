// SPDX-License-Identifier: BSD-2-Clause
/*
 * turns MILLISECONDS COUNT: works for MILLISECONDS and executes the other of two programs, COUNT
 * times. The programs are this source, compiled with two values of NAME; the function in which a
 * program works, its file and the name of its thread end in NAME. Each program appends a line to
 * the file $TURNS: NAME, and the nanoseconds (CLOCK_BOOTTIME) between which it certainly ran.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PASTE(a, b) a##b
#define WORK_OF(name) PASTE(work_, name)
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

static volatile unsigned sink;

__attribute__((noinline)) void WORK_OF(NAME)(long ms)
{
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		for (int i = 0; i < 2000; i++)
			sink += (unsigned)i;
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void report(long long from_ns)
{
	FILE *to = getenv("TURNS") ? fopen(getenv("TURNS"), "a") : NULL;

	if (!to)
		return;
	fprintf(to, "%s %lld %lld\n", TEXT(NAME), from_ns, now_ns());
	fclose(to);
}

int main(int argc, char **argv)
{
	long long from_ns = now_ns();
	long ms = argc > 1 ? atol(argv[1]) : 200, count = argc > 2 ? atol(argv[2]) : 25;
	char other[4096], left[24];
	size_t len;

	WORK_OF(NAME)(ms);
	report(from_ns);
	if (count <= 0)
		return 0;
	len = (size_t)readlink("/proc/self/exe", other, sizeof(other) - 1);
	other[len] = '\0';
	strcpy(other + len - strlen(TEXT(NAME)), TEXT(OTHER));
	snprintf(left, sizeof(left), "%ld", count - 1);
	execl(other, other, argc > 1 ? argv[1] : "200", left, NULL);
	return 1;
}
