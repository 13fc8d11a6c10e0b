// SPDX-License-Identifier: BSD-2-Clause

/*
 * A program that calls itself ten times, prints a line, and spins. The program is built with frame
 * pointers. The program copies $PRIVATE to its stack, because the environment itself is a random
 * number of pages away from the frames.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static volatile bool is_over; /* never set */

__attribute__((noinline)) static long descend(int n)
{
	long below;

	if (!n) {
		puts("ready");
		fflush(stdout);
		while (!is_over)
			;
		return 0;
	}
	below = descend(n - 1);
	__asm__ volatile("" ::: "memory"); /* prevents a tail call */
	return below + 1;
}

int main(void)
{
	const char *private = getenv("PRIVATE");
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", private ? private : "");
	__asm__ volatile("" : : "r"(copy) : "memory");
	return (int)descend(10);
}
