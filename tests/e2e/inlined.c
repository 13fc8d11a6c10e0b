/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * inlined: prints "running", then computes forever in mix(), which is inlined into round_of(),
 * which is inlined into work(). The lines that native_names.py expects are marked.
 */

#include <stdio.h>

volatile unsigned long sink;

unsigned long work(unsigned long n);

static inline __attribute__((always_inline)) unsigned long mix(unsigned long n, unsigned long i)
{
	for (int k = 0; k < 16; k++)
		n = (n ^ i) * 31 + (n >> 7); /* in mix */
	return n;
}

static inline __attribute__((always_inline)) unsigned long round_of(unsigned long n)
{
	for (unsigned long i = 0; i < 20000; i++)
		n = mix(n, i); /* in round_of */
	return n;
}

__attribute__((noinline)) unsigned long work(unsigned long n)
{
	/*
	 * The compiler omits the frame if nothing uses it, regardless of
	 * options.
	 */
	asm volatile("" : : "r"(__builtin_frame_address(0)));
	n = round_of(n); /* in work */
	sink += n;
	return n + 1;
}

int main(void)
{
	unsigned long n = 1;

	puts("running");
	fflush(stdout);
	for (;;)
		n = work(n) + 1; /* in main */
}
