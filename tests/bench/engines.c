// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool-bench-engines FOLDER: measures how many walks per second of CPU time the simulator's
 * engines make on one core. CPU time is independent of other load. The results of the walks are
 * checked. The best of several rounds counts, as disturbances only slow a round down. The last
 * column is the cost relative to a walk of the first row. The rows are
 *
 *	walk     a native walk without a log over one stack: a chain of native frames as deep as
 *	         that of compiled programs on average at a random instruction
 *	logged   the same with a log of the reads
 *	guest    the same in Unicorn, with the log
 *	kernel   the same in BPF; the target is sent, mapped and unmapped for each walk; wall
 *	         time, as other processes do the work
 *
 * and, over all instructions of the executed cases in FOLDER,
 *
 *	code     no walks, the code is only executed: the lower bound for a sweep
 *	sweep    a native walk at every instruction
 *	guest    a walk in Unicorn at every instruction
 */

#include "engines.h"

#include "../../fixtures/stacks/native.h"
#include "../../sim/case/stack.h"
#include "../../sim/engine/engine_list.h"
#include "../../sim/engine/guest.h"
#include "../../sim/engine/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_FRAMES 6
#define N_ROUNDS 20
#define ROUND_NS 20000000ull
#define BATCH 64
#define AIM_SWEEP 5e6
#define AIM_GUEST 1e5

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

/* If there is no session, the core is called directly, as in a sweep. */
static int walk(struct sim_session *session, const struct sim_arch *arch,
		const struct sim_target *target, struct sim_walk *out)
{
	if (session)
		return sim_session_walk(session, target, out);
	arch->walk(&out->state, target);
	return 0;
}

/*
 * Returns walks per second in the best round, or a negative errno if a walk failed or found other
 * frames.
 */
static double measure(struct sim_session *session, const struct sim_arch *arch,
		      const struct sim_target *target, struct sim_walk *out)
{
	bool is_kernel = session && session->engine == &sim_engine_kernel;
	clockid_t clock = is_kernel ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
	double best = 0;

	for (u32 round = 0; round < N_ROUNDS; round++) {
		u64 start = bench_clock_ns(clock), n = 0, ns;

		do {
			for (u32 i = 0; i < BATCH; i++) {
				int err = walk(session, arch, target, out);

				if (err)
					return err;
			}
			n += BATCH;
			ns = bench_clock_ns(clock) - start;
		} while (ns < ROUND_NS);
		if (out->state.sample.n_frames != N_FRAMES || out->state.sample.status != UW_END)
			return -EBADMSG;
		if ((double)n * 1e9 / (double)ns > best)
			best = (double)n * 1e9 / (double)ns;
	}
	return best;
}

static void print_row(const char *what, const struct sim_arch *arch, double rate, double aim,
		      double walk_rate)
{
	printf("%-8s %-8s %12.0f", what, arch->name, rate);
	if (aim > 0)
		printf(" %10.0f", aim);
	else
		printf(" %10s", "");
	printf(" %10.1f\n", walk_rate / rate);
}

/* Returns 0 if the engine was measured or cannot run here, 1 if it failed. */
static int bench(const struct sim_engine *engine, const char *name, const struct sim_arch *arch,
		 const struct sim_target *target, struct sim_walk *out, double *walk_rate)
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
		*walk_rate = rate;
	print_row(name, arch, rate, engine == &sim_engine_guest ? AIM_GUEST : 0, *walk_rate);
	return 0;
}

static int bench_stack(const struct sim_arch *arch, struct sim_walk *out, double *walk_rate)
{
	static const char *const names[SIM_N_ENGINES] = { "logged", "guest", "kernel" };
	struct sim_target target;
	int bad = make_target(arch == &sim_arch_arm64 ? STACK_ARM64 : STACK_X86_64, &target) != 0;

	if (bad)
		return bad;
	bad = bench(NULL, "walk", arch, &target, out, walk_rate);
	for (u32 e = 0; e < SIM_N_ENGINES && !bad; e++)
		bad = bench(sim_engines[e], names[e], arch, &target, out, walk_rate);
	sim_mem_free(&target.mem);
	return bad;
}

static int bench_cases(const struct sim_paths *paths, const struct sim_arch *arch, double walk_rate)
{
	struct bench_sweeps rates;
	int bad = bench_sweeps(paths, arch, &rates);

	if (bad)
		return bad;
	print_row("code", arch, rates.code, 0, walk_rate);
	print_row("sweep", arch, rates.native, AIM_SWEEP, walk_rate);
	print_row("guest", arch, rates.guest, AIM_GUEST, walk_rate);
	return 0;
}

int main(int argc, char **argv)
{
	struct sim_walk *out = calloc(1, sizeof(*out));
	struct sim_paths paths = { 0 };
	struct sim_error error;
	double walk_rates[SIM_N_ARCHS];
	int bad = !out;

	if (argc != 2 || sim_paths_add(&paths, argv[1], &error)) {
		fprintf(stderr, "usage: unspool-bench-engines FOLDER-OF-COMPILED-CASES\n");
		free(out);
		return 2;
	}
	printf("walks of one stack of %u frames, on one core\n", N_FRAMES);
	printf("%-8s %-8s %12s %10s %10s\n", "", "", "walks/s", "aim", "in walks");
	for (u32 a = 0; a < SIM_N_ARCHS && !bad; a++)
		bad = bench_stack(sim_archs[a], out, &walk_rates[a]);
	printf("\nwalks at every instruction of %u compiled cases, on one core\n", paths.n);
	for (u32 a = 0; a < SIM_N_ARCHS && !bad; a++)
		bad = bench_cases(&paths, sim_archs[a], walk_rates[a]);
	sim_paths_deinit(&paths);
	free(out);
	return bad;
}
