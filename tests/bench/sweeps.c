// SPDX-License-Identifier: BSD-2-Clause

/*
 * Measures sweeps over every instruction of compiled programs. Unicorn
 * translates each instruction before its first execution, which takes 3 us per
 * instruction with a stop; the programs execute each instruction some 17 times.
 * Therefore walks take the smaller part of a sweep's time, and the time of a
 * sweep without walks is its lower bound.
 *
 * The best round of each case counts.
 */

#include "engines.h"

#include "../../sim/cpu/cpu.h"
#include "../../sim/engine/guest.h"
#include "../../sim/sweep/engines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define N_ROUNDS 3
#define GUEST_CASE "calls-gcc-O2-fp."

enum part { CODE, NATIVE, GUEST, N_PARTS };

struct sum {
	u64 ns, n_stops, n_exact;
};

static int look_away(void *ctx, const struct sim_stop *stop)
{
	(void)ctx;
	(void)stop;
	return 0;
}

static int execute(const struct sim_case *c, struct sum *out, struct sim_error *error)
{
	struct sim_cpu_run run = { .at_stop = look_away };
	int err = sim_cpu_run(c, &run, error);

	out->n_stops = run.n_insns;
	return err;
}

static int sweep(const struct sim_case *c, const struct sweep_walker *walker, struct sum *out,
		 struct sim_error *error)
{
	struct sweep_result result;
	int err = sweep_judge(c, walker, &result, error);

	if (err)
		return err;
	out->n_stops = result.boundaries;
	out->n_exact = result.exact;
	sweep_result_deinit(&result);
	return 0;
}

/* Sweeps one case once; -ENOTSUP if it is for another architecture. */
static int run_once(const char *path, const struct sim_arch *arch, enum part part,
		    const struct sweep_walker *guest, struct sum *out, struct sim_error *error)
{
	const struct sim_case_kind *kind = sim_case_kind_of(path);
	u64 start = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct sim_case *c = NULL;
	int err = kind->load(path, arch, &c, error);

	if (err)
		return err;
	err = part == CODE ? execute(c, out, error)
			   : sweep(c, part == GUEST ? guest : NULL, out, error);
	kind->free(&c);
	out->ns = bench_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
	return err;
}

/* Adds the best round of the case to @sums. */
static int run_case(const char *path, const struct sim_arch *arch, struct sweep_engine *guest,
		    struct sum sums[N_PARTS], struct sim_error *error)
{
	bool has_guest = strstr(path, GUEST_CASE) != NULL;
	u64 exact[N_PARTS] = { 0 };

	for (u32 part = 0; part < (has_guest ? N_PARTS : GUEST); part++) {
		struct sum best = { .ns = ~0ull }, now = { 0 };

		for (u32 round = 0; round < N_ROUNDS; round++) {
			int err = run_once(path, arch, part, &guest->walker, &now, error);

			if (err)
				return err;
			best = now.ns < best.ns ? now : best;
		}
		exact[part] = best.n_exact;
		sums[part].ns += best.ns;
		sums[part].n_stops += best.n_stops;
	}
	if (has_guest && exact[GUEST] != exact[NATIVE])
		return sim_fail(error, -EBADMSG,
				"the guest engine and the native engine find different frames");
	return exact[NATIVE] ? 0 : sim_fail(error, -EBADMSG, "no walk of the sweep is exact");
}

static int run_all(const struct sim_paths *paths, const struct sim_arch *arch,
		   struct sweep_engine *guest, struct sum sums[N_PARTS])
{
	struct sim_error error;

	for (u32 i = 0; i < paths->n; i++) {
		int err = run_case(paths->at[i], arch, guest, sums, &error);

		if (err && err != -ENOTSUP) {
			fprintf(stderr, "%s: %s\n", paths->at[i], error.text);
			return 1;
		}
	}
	return 0;
}

static double rate(const struct sum *sum)
{
	return sum->ns ? (double)sum->n_stops * 1e9 / (double)sum->ns : 0;
}

int bench_sweeps(const struct sim_paths *paths, const struct sim_arch *arch,
		 struct bench_sweeps *out)
{
	struct sum sums[N_PARTS] = { 0 };
	struct sim_session *session = NULL;
	struct sweep_engine guest = { 0 };
	int bad = sim_session_open(&sim_engine_guest, arch, &session) ||
		  sweep_engine_init(session, 1, &guest);

	if (bad)
		fprintf(stderr, "unspool-bench-engines: the guest engine can't be opened\n");
	else
		bad = run_all(paths, arch, &guest, sums);
	sweep_engine_deinit(&guest);
	sim_session_close(&session);
	*out = (struct bench_sweeps){ rate(&sums[CODE]), rate(&sums[NATIVE]), rate(&sums[GUEST]) };
	return bad;
}
