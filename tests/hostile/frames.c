// SPDX-License-Identifier: BSD-2-Clause
/*
 * frames: works in a function that is called through 16 functions, whose frames have sizes that no
 * other program has, so that each function needs an unwind rule of its own. Prints "running".
 */

#include <stdio.h>

static volatile unsigned sink;

__attribute__((noinline)) void leaf(void)
{
	for (int i = 0; i < 20000; i++)
		sink += (unsigned)i;
}

#define LEVEL(n, next)                                                                             \
	__attribute__((noinline)) void level_##n(void)                                             \
	{                                                                                          \
		volatile char room[80000 + 160 * n];                                               \
                                                                                                   \
		room[0] = (char)sink;                                                              \
		next();                                                                            \
		sink += (unsigned)room[0];                                                         \
	}

LEVEL(15, leaf)
LEVEL(14, level_15)
LEVEL(13, level_14)
LEVEL(12, level_13)
LEVEL(11, level_12)
LEVEL(10, level_11)
LEVEL(9, level_10)
LEVEL(8, level_9)
LEVEL(7, level_8)
LEVEL(6, level_7)
LEVEL(5, level_6)
LEVEL(4, level_5)
LEVEL(3, level_4)
LEVEL(2, level_3)
LEVEL(1, level_2)
LEVEL(0, level_1)

int main(void)
{
	puts("running");
	fflush(stdout);
	for (;;)
		level_0();
	return 0;
}
