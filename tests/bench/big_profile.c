// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool-big-profile SAMPLES STACKS THREADS: writes a profile with so many samples, different
 * stacks and threads to standard output, for ci/bench and tests. Equal arguments give equal
 * profiles.
 *
 * The threads of one process run all the time. A stack has 8 to 39 frames out of 3,000
 * functions; two stacks share their first frames, and one stack of eight is eight times as
 * frequent as the others.
 */

#include <stdio.h>
#include <stdlib.h>

#include "../../loader/profile/profile.h"

#define HZ 99
#define N_FUNCTIONS 3000
#define MAX_DEPTH 40

static u32 next_random(u64 *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull; /* Knuth's MMIX */
	return (u32)(*seed >> 33);
}

static int put_function(struct profile *p, u32 i, u32 *id)
{
	char name[32], file[48];
	struct prof_frame f = { .kind = i % 4 ? PROF_JS : PROF_NATIVE,
				.name = name,
				.line = i % 700 + 2,
				.column = i % 70 + 1,
				.start_line = i % 700 + 1,
				.start_column = 10,
				.tier = "turbofan" };

	snprintf(name, sizeof(name), "function%u", i);
	snprintf(file, sizeof(file), "/srv/app/part%u/file%u.js", i % 20, i % 300);
	if (f.kind == PROF_JS)
		f.file = file;
	else
		f.module = "/usr/lib/x86_64-linux-gnu/libexample.so.1";
	return profile_frame(p, &f, id);
}

/* Stack number @i; a stack is a path in a tree in which each function calls eight others. */
static int put_stack(struct profile *p, u32 i, u32 *id)
{
	u64 seed = i;
	u32 frames[MAX_DEPTH], depth = 8 + next_random(&seed) % 32, function = i % 3;
	int err = 0;

	for (u32 k = depth; err == 0 && k-- > 0;) {
		err = put_function(p, function, &frames[k]);
		function = (function * 8 + next_random(&seed) % 8 + k) % N_FUNCTIONS;
	}
	return err < 0 ? err : profile_stack(p, &(struct prof_stack){ frames, depth, UW_END }, id);
}

static int put_head(struct profile *p, u32 n_threads)
{
	struct prof_process process = { .pid = 800, .name = "server.js", .runtime = "Node.js 24" };
	int err = profile_process(p, &process);

	for (u32 i = 0; err == 0 && i < n_threads; i++)
		err = profile_thread(p, 800, 800 + i, i ? "WorkerThread" : "MainThread");
	return err;
}

static int put_samples(struct profile *p, u64 n, u32 n_stacks, u32 n_threads)
{
	u64 seed = 1;
	int err = 0;

	for (u64 i = 0; err == 0 && i < n; i++) {
		u32 draw = next_random(&seed), id = 0;
		/* The first round has each stack once. */
		u32 stack = i < n_stacks ? (u32)i : draw % (draw & 1 ? n_stacks : n_stacks / 8 + 1);

		err = put_stack(p, stack, &id);
		if (err == 0)
			err = profile_sample(p, 800, 800 + (u32)(i % n_threads), id,
					     i / n_threads * (1000000 / HZ), PROF_ACT_JS, false);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct prof_header header = { .hz = HZ, .arch = "x86_64", .kernel = "6.1.0" };
	u64 n = argc == 4 ? strtoull(argv[1], NULL, 10) : 0;
	u32 n_stacks = argc == 4 ? (u32)strtoul(argv[2], NULL, 10) : 0;
	u32 n_threads = argc == 4 ? (u32)strtoul(argv[3], NULL, 10) : 0;
	struct prof_totals totals = { 0 };
	struct profile *p = NULL;
	int err;

	if (!n || !n_stacks || !n_threads) {
		fprintf(stderr, "usage: unspool-big-profile SAMPLES STACKS THREADS\n");
		return 2;
	}
	totals.duration_ns = n / n_threads * (1000000000ull / HZ);
	err = profile_new(&p, stdout, &header);
	if (err == 0)
		err = put_head(p, n_threads);
	if (err == 0)
		err = put_samples(p, n, n_stacks, n_threads);
	if (err == 0)
		err = profile_finish(p, &totals);
	profile_free(&p);
	return err < 0;
}
