// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool-bench-engines: walks a second in the simulator's engines, one core. The
 * stack is a chain of native frames as deep as compiled programs are on average at a
 * random instruction; what the walk found is checked before it is timed. The best
 * of several rounds counts: what disturbs a round only makes it slower.
 *
 *	sweep    as a sweep walks: the core natively, no log
 *	native   with the log of reads
 *	guest    in Unicorn, with the log
 *	kernel   with the target sent, mapped and unmapped for each walk
 */

#include "../../fixtures/stacks/native.h"
#include "../../sim/engine/engine.h"
#include "../../sim/stack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N_FRAMES 6
#define N_ROUNDS 5
#define ROUND_NS 100000000ull
#define BATCH 64

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static int make_target(u32 arch, struct sim_target *out)
{
	static u64 words[4 * N_FRAMES];
	struct stack stack = {
		.regs = { APP(0x108), S(0), S(0), 0 },
		.words = words,
		.n_words = 4 * N_FRAMES,
	};

	for (u32 i = 0; i + 1 < N_FRAMES; i++) {
		bool is_last = i + 2 == N_FRAMES;

		words[4 * i] = is_last ? 1 : S(4 * (i + 1));
		words[4 * i + 1] = is_last ? LIBC(0x128) : APP(0x200);
	}
	return sim_stack_target(&stack, arch, out);
}

/* A session of NULL is the core alone, as a sweep calls it. */
static int walk(struct sim_session *session, const struct sim_arch *arch,
		const struct sim_target *target, struct sim_walk *out)
{
	if (session)
		return sim_session_walk(session, target, out);
	arch->walk(&out->state, target);
	return 0;
}

/* Walks a second, the best round. Negative errno: a walk failed or found something else. */
static double measure(struct sim_session *session, const struct sim_arch *arch,
		      const struct sim_target *target, struct sim_walk *out)
{
	double best = 0;

	for (u32 round = 0; round < N_ROUNDS; round++) {
		u64 start = now_ns(), n = 0, ns;

		do {
			for (u32 i = 0; i < BATCH; i++) {
				int err = walk(session, arch, target, out);

				if (err)
					return err;
			}
			n += BATCH;
			ns = now_ns() - start;
		} while (ns < ROUND_NS);
		if (out->state.sample.n_frames != N_FRAMES || out->state.sample.status != UW_END)
			return -EBADMSG;
		if ((double)n * 1e9 / (double)ns > best)
			best = (double)n * 1e9 / (double)ns;
	}
	return best;
}

/* 0: measured, or it cannot run here; 1: it failed. */
static int bench(const struct sim_engine *engine, const char *name, const struct sim_arch *arch,
		 const struct sim_target *target, struct sim_walk *out, double *sweep)
{
	struct sim_session *session = NULL;
	double rate;
	int err = engine ? sim_session_open(engine, arch, &session) : 0;

	if (err) {
		printf("%-8s %-8s not run: %s\n", name, arch->name, session ? session->why : "?");
		sim_session_close(&session);
		return err != -EOPNOTSUPP;
	}
	rate = measure(session, arch, target, out);
	sim_session_close(&session);
	if (rate <= 0) {
		printf("%-8s %-8s failed: %s\n", name, arch->name, strerror((int)-rate));
		return 1;
	}
	if (!engine)
		*sweep = rate;
	printf("%-8s %-8s %12.0f %10.1f\n", name, arch->name, rate, *sweep / rate);
	return 0;
}

int main(void)
{
	static const struct sim_arch *const archs[] = { &sim_arch_x86_64, &sim_arch_arm64 };
	struct sim_walk *out = calloc(1, sizeof(*out));
	int bad = !out;

	printf("walks of %u frames, one core (aims: sweep 5 M/s, guest 100 k/s)\n\n", N_FRAMES);
	printf("%-8s %-8s %12s %10s\n", "engine", "", "walks/s", "sweep is");
	for (u32 a = 0; a < 2 && !bad; a++) {
		struct sim_target target;
		double sweep = 0;

		bad = make_target(a ? STACK_ARM64 : STACK_X86_64, &target) != 0;
		if (bad)
			break;
		bad = bench(NULL, "sweep", archs[a], &target, out, &sweep);
		for (u32 e = 0; e < SIM_N_ENGINES && !bad; e++)
			bad = bench(sim_engines[e], sim_engines[e]->name, archs[a], &target, out,
				    &sweep);
		sim_mem_free(&target.mem);
	}
	free(out);
	return bad;
}
