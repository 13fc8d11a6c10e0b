/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Reading the CPU clock is a system call, so it is read at most once in CHECK_NS, and the time is
 * read only with every 16th read.
 *
 * The speed of the machine is measured once, because an emulated machine may be 20 times slower.
 */

#include "budget.h"

#include "clock.h"

#define CHECK_NS 1000000
#define READS 16
#define GRACE_NS 500000000 /* time for reads after is_stopping() */
#define ROUNDS 200000
#define USUAL_NS 200000 /* CPU time of ROUNDS at 1 ns each */
#define MAX_SCALE 32

static __thread struct budget *current;
static u64 stop_ns = NEVER_NS;
static bool (*is_stopping)(void);

/* Returns how many times slower than usual this machine is, at least 1. */
static u64 scale(void)
{
	static u64 measured;
	u64 took_ns;

	if (measured)
		return measured;
	took_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (u32 i = 0; i < ROUNDS; i++)
		__asm__ volatile("" : "+r"(i)); /* the compiler must keep the loop */
	took_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - took_ns;
	measured = took_ns / USUAL_NS;
	measured = measured < 1 ? 1 : measured > MAX_SCALE ? MAX_SCALE : measured;
	return measured;
}

void budget_begin(struct budget *b, u64 cpu_ns)
{
	u64 limit_ns = cpu_ns * scale();

	*b = (struct budget){ .outer = current, .is_spent = !cpu_ns };
	b->began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	b->end_ns = b->began_ns + limit_ns;
	current = b;
}

u64 budget_end(struct budget *b)
{
	current = b->outer;
	if (current) /* the next read checks the outer budget, which may be spent by now */
		*current = (struct budget){ .outer = current->outer,
					    .began_ns = current->began_ns,
					    .end_ns = current->end_ns,
					    .n_reads = READS - 1,
					    .is_spent = current->is_spent };
	return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - b->began_ns) / scale();
}

static bool check(u64 now_ns)
{
	if (is_stopping && stop_ns == NEVER_NS && is_stopping())
		stop_ns = now_ns + GRACE_NS;
	return now_ns >= stop_ns || clock_ns(CLOCK_THREAD_CPUTIME_ID) >= current->end_ns;
}

bool budget_is_spent(void)
{
	struct budget *b = current;
	u64 now_ns;

	if (!b || b->is_spent || ++b->n_reads % READS)
		return b && b->is_spent;
	now_ns = monotonic_ns();
	if (now_ns - b->checked_ns < CHECK_NS)
		return false;
	b->checked_ns = now_ns;
	b->is_spent = check(now_ns);
	return b->is_spent;
}

void budget_stop_at(u64 at_ns)
{
	stop_ns = at_ns;
}

void budget_set_stop(bool (*fn)(void))
{
	is_stopping = fn;
}
