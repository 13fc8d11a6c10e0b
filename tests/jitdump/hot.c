// SPDX-License-Identifier: BSD-2-Clause

/* The code that jit-image runs; perf.py checks the marked lines. */

#define OWN __attribute__((noinline))

typedef unsigned long long u64;

/*
 * A one-letter name is in the debug information entry itself, longer names are
 * in .debug_str.
 */
static OWN u64 f(u64 n)
{
	u64 x = n;

	while (--n) /* hot-f */
		__asm__ volatile("" : "+r"(x));
	return x;
}

static OWN u64 a_function_with_a_rather_long_name(u64 n)
{
	u64 x = n;

	while (--n) /* hot-long */
		__asm__ volatile("" : "+r"(x));
	return x;
}

u64 work(u64 n)
{
	return f(2 * n) + a_function_with_a_rather_long_name(n);
}
