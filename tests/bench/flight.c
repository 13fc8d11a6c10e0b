// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool-bench-flight: measures the CPU time of one entry of the flight
 * recorder in user space: with the recorder on, with the entry's class off, and
 * in code compiled without the recorder. The best of several rounds counts.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../flight/rings.h"

#define N_ROUNDS 20
#define N 1000000ull
#define N_STEPS 32
#define N_WALKS 20000ull

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/*
 * Code without the recorder: only the loop and a value that the compiler must
 * compute.
 */
static void nothing(u64 i)
{
	asm volatile("" : : "r"(i) : "memory");
}

static void step(u64 i)
{
	nothing(i);
	flight_event(FLIGHT_STEP, FLIGHT_START, (u32)i, (u64[]){ i, i, i, i, i }, 5);
}

static void group(u64 i)
{
	nothing(i);
	flight_event(FLIGHT_READ, FLIGHT_START, (u32)i, (u64[19]){ i, i, i, i, i }, 19);
}

static void walk(u64 i)
{
	flight_begin(i, i, i, i, 0);
	for (u64 k = 0; k < N_STEPS; k++)
		step(k);
	flight_end(1, N_STEPS, 0, 0, 0);
}

/* Returns the ns per call of @f in the best round. */
static double best(void (*f)(u64), u64 n)
{
	double least = 1e18;

	for (int r = 0; r < N_ROUNDS; r++) {
		double from = now_ns(), took;

		for (u64 i = 0; i < n; i++)
			f(i);
		took = (now_ns() - from) / (double)n;
		if (took < least)
			least = took;
	}
	return least;
}

int main(void)
{
	struct fl_ring ring = ring_new(16384);
	double empty = best(nothing, N), on, off;

	fl_thread.ring->recording = 1;
	on = best(step, N) - empty;
	control.mask = ~(1ull << FLIGHT_STEP);
	off = best(step, N) - empty;
	control.mask = ~0ull;
	printf("  recording an entry takes %5.1f ns, or %.1f ns if the class of the entry is off\n",
	       on, off);
	printf("  recording an entry of 3 slots takes %5.1f ns, which is %.2f of the time that "
	       "three entries take\n",
	       best(group, N) - empty, (best(group, N) - empty) / 3 / on);
	printf("  recording a walk of %d steps takes %.0f ns", N_STEPS, best(walk, N_WALKS));
	control.mask = ~(1ull << FLIGHT_STEP);
	printf(", or %.0f ns if steps are not recorded", best(walk, N_WALKS));
	control.mask = 0;
	printf(", or %.1f ns if nothing is recorded\n", best(walk, N_WALKS) - N_STEPS * empty);
	ring_free(&ring);
	return 0;
}
