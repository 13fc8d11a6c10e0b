/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * busy [MS [PAUSE_US]]: prints "running", then computes for MS milliseconds of CPU time (forever by
 * default and if MS is negative). main() calls OUTER, which calls INNER; the program sleeps for
 * PAUSE_US after each call. This program is built several times with different
 * function names, so that the functions in a sample show to which program the
 * sample belongs.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef OUTER
#define OUTER busy_outer
#define INNER busy_inner
#endif

volatile unsigned long sink;

unsigned long INNER(unsigned long n);
unsigned long OUTER(unsigned long n);

__attribute__((noinline)) unsigned long INNER(unsigned long n)
{
	/*
	 * The compiler omits the frame if nothing uses it, regardless of
	 * options.
	 */
	asm volatile("" : : "r"(__builtin_frame_address(0)));
	for (unsigned long i = 0; i < 20000; i++)
		n = (n ^ i) * 31;
	sink += n;
	return n + 1;
}

__attribute__((noinline)) unsigned long OUTER(unsigned long n)
{
	return INNER(n) + INNER(n + 1);
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : -1;
	useconds_t pause_us = argc > 2 ? (useconds_t)atol(argv[2]) : 0;

	puts("running");
	fflush(stdout);
	while (ms < 0 || clock() * 1000.0 / CLOCKS_PER_SEC < (double)ms) {
		sink += OUTER(sink);
		if (pause_us)
			usleep(pause_us);
	}
	return 0;
}
