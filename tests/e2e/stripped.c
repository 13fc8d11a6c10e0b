/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * stripped: prints "running", then computes forever in four static functions. The third has an
 * exported symbol without a length, as functions in assembly can have. The test strips the program,
 * so that no other function has a name. The functions must be in this order in memory.
 */

#include <stdio.h>

volatile unsigned long sink;

#define FUNCTION(name, factor)                                                                     \
	__attribute__((noinline, noclone, no_reorder, used)) static unsigned long name(            \
		unsigned long n)                                                                   \
	{                                                                                          \
		for (unsigned long i = 0; i < 100000; i++)                                         \
			n = (n ^ i) * factor + (n >> 7);                                           \
		return n;                                                                          \
	}

FUNCTION(first, 31)
FUNCTION(second, 37)
FUNCTION(third, 41)
FUNCTION(hidden, 43)

__asm__(".globl exported\n\t.set exported, third\n\t.size exported, 0\n");

int main(void)
{
	puts("running");
	fflush(stdout);
	for (;;)
		sink = hidden(third(second(first(sink))));
}
