// SPDX-License-Identifier: BSD-2-Clause

/*
 * torn [MILLIONS]: a writer at full speed on one CPU and a reader on another, until the
 * reader has tried to read 2 (or MILLIONS) million entries, in a tiny ring and in one of full
 * size, with entries of one slot and of three. No entry that the reader accepts may contain
 * words of another entry.
 *
 * Negative controls: if the writer keeps seq valid while it changes an entry, or if the
 * reader checks seq only once, torn entries must be accepted.
 */

#include <pthread.h>
#include <sched.h>

#include "../check.h"
#include "../../inspect/flight/fl_slot.h"
#include "rings.h"

#define CONTROL_TRIES 500000000ull /* reads within which an incomplete protocol tears an entry */

struct run {
	const char *what;
	u32 n_slots, n_words;
	bool leaves_seq, looks_once;
};

static struct fl_ring ring;
static struct run now;
static int cpus[2];
static bool is_done;
static u64 n_taken;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *write_all(void *data)
{
	struct fl_thread *thread = data;
	u64 number = 0;

	pin(cpus[0]);
	fl_thread = *thread;
	while (!__atomic_load_n(&is_done, __ATOMIC_RELAXED))
		put_known(fl_thread.ring, number++, now.n_words);
	return NULL;
}

/* A reader that checks seq only once. */
static u32 copy_once(u64 at, struct flight_slot *out)
{
	u32 n = flight_n_slots(now.n_words);

	for (u32 s = 0; s < n; s++) {
		const u64 *slot = ring.ring->slots[(at + s) & (ring.n_slots - 1)].word;

		out[s].word[0] = flight_load_acquire(slot);
		if (out[s].word[0] != (flight_seq(at + s) | !!s))
			return 0;
		for (u32 i = 1; i < FLIGHT_SLOT_WORDS; i++)
			out[s].word[i] = flight_load(slot + i);
	}
	return n;
}

static bool is_torn(u64 at, const struct flight_slot *slots, u32 n)
{
	u64 number = at / flight_n_slots(now.n_words);

	if (n != flight_n_slots(now.n_words) || (u32)slots[0].word[2] != (u32)number)
		return true;
	for (u32 i = 0; i < now.n_words; i++) {
		u32 more = i - FLIGHT_HEAD_WORDS;
		u64 word = i < FLIGHT_HEAD_WORDS ? slots[0].word[3 + i]
						 : slots[1 + more / FLIGHT_MORE_WORDS]
							   .word[1 + more % FLIGHT_MORE_WORDS];

		if (word != known_word(number, i))
			return true;
	}
	return false;
}

/*
 * Returns an index near the writer: one of the newest entries, or one of those that are
 * overwritten next.
 */
static u64 place(u64 i, u64 next)
{
	u32 n = flight_n_slots(now.n_words);
	u64 back = i & 1 ? i % 8 * n : ring.n_slots - i % 8;

	return next > ring.n_slots ? (next - back) / n * n : 0;
}

/*
 * Returns the number of torn entries that were accepted; stops at the first one if the
 * protocol is incomplete.
 */
static u64 read_all(u64 n_tries, u64 *tried)
{
	bool is_broken = now.leaves_seq || now.looks_once;
	struct flight_slot slots[FLIGHT_MAX_SLOTS];
	u64 n_torn = 0, i;

	while (flight_load_acquire(&ring.ring->next) <= ring.n_slots)
		sched_yield(); /* the writer may not get CPU time at once */
	n_taken = 0;
	for (i = 0; i < n_tries && !(is_broken && n_torn); i++) {
		u64 at = place(i, flight_load_acquire(&ring.ring->next));
		u32 n = now.looks_once ? copy_once(at, slots)
				       : fl_group_copy(ring.ring, ring.n_slots - 1, at, slots);

		n_taken += n != 0;
		n_torn += n && is_torn(at, slots, n);
	}
	*tried = i;
	return n_torn;
}

static bool run(const struct run *r, u64 n_tries)
{
	bool is_broken = r->leaves_seq || r->looks_once;
	struct fl_thread thread;
	pthread_t writer;
	u64 n_torn, tried;
	bool is_good;

	now = *r;
	leaves_seq = r->leaves_seq;
	ring = ring_new(r->n_slots);
	thread = fl_thread;
	is_done = false;
	if (pthread_create(&writer, NULL, write_all, &thread))
		return false;
	n_torn = read_all(is_broken ? CONTROL_TRIES : n_tries, &tried);
	__atomic_store_n(&is_done, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	is_good = is_broken ? n_torn > 0 : n_torn == 0 && n_taken > 0;
	printf("%s: %s, %u slots, %u words: the writer wrote %llu entries, the reader read %llu "
	       "and "
	       "accepted %llu of these, and %llu accepted entries are torn\n",
	       is_good ? "good" : "BAD", r->what, r->n_slots, r->n_words,
	       ring.ring->next / flight_n_slots(r->n_words), tried, n_taken, n_torn);
	ring_free(&ring);
	return is_good;
}

static bool find_cpus(void)
{
	cpu_set_t set;
	int n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return false;
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &set))
			cpus[n++] = i;
	return n == 2;
}

int main(int argc, char **argv)
{
	static const struct run runs[] = {
		{ "correct", 8, 5, false, false },
		{ "correct", 16384, 5, false, false },
		{ "correct", 8, 19, false, false },
		{ "correct", 16384, 19, false, false },
		{ "writer does not invalidate seq", 8, 5, true, false },
		{ "reader checks seq only once", 8, 5, false, true },
		{ "reader checks seq only once", 8, 19, false, true },
	};
	u64 millions = argc > 1 ? strtoull(argv[1], NULL, 10) : 2;
	u32 n = sizeof(runs) / sizeof(runs[0]), n_failed = 0;

	if (!find_cpus())
		return check_cannot_run("this test needs two CPUs");
	pin(cpus[1]);
	for (u32 i = 0; i < n; i++)
		n_failed += !run(&runs[i], millions * 1000000);
	printf("%u passed, %u failed\n", n - n_failed, n_failed);
	return n_failed != 0;
}
