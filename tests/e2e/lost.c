/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * lost DAMAGE: prints "running", then spins forever in `spin`, called by `lose`, called by main.
 * DAMAGE selects how the frame record is overwritten, so that a walk ends early
 * with a certain reason. Without DAMAGE the record is not overwritten.
 */

#include <stdio.h>
#include <string.h>

unsigned long spin(const char *what);
unsigned long lose(const char *what);

static void spoil(volatile unsigned long *record, const char *what)
{
	unsigned long fp = (unsigned long)record;

	if (!strcmp(what, "unaligned"))
		record[0] = fp + 20;
	else if (!strcmp(what, "below"))
		record[0] = fp - 64;
	else if (!strcmp(what, "far"))
		record[0] = fp + (4ul << 20);
	else if (!strcmp(what, "unmapped")) /* an address above the stack, which is much smaller */
		record[0] = fp + (900ul << 10);
	else if (!strcmp(what, "none"))
		record[0] = 8;
	else if (!strcmp(what, "nowhere"))
		record[1] = 0x10000;
}

__attribute__((noinline)) unsigned long spin(const char *what)
{
	volatile unsigned long *record = __builtin_frame_address(0);

	spoil(record, what);
	for (volatile unsigned long n = 0;; n++)
		;
	return *record;
}

__attribute__((noinline)) unsigned long lose(const char *what)
{
	/*
	 * The frame of this function has a variable size, so only fp leads to
	 * the caller's frame.
	 */
	volatile char room[strlen(what) + 1];

	room[0] = 1;
	return spin(what) + (unsigned long)room[0];
}

int main(int argc, char **argv)
{
	puts("running");
	fflush(stdout);
	return lose(argc > 1 ? argv[1] : "") == 1;
}
