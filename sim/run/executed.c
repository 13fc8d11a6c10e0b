// SPDX-License-Identifier: BSD-2-Clause

/*
 * An executed case in engines: the CPU stops at each instruction, and where it comes
 * for the first time every engine walks from there, over memory as it is then.
 */

#include "../cpu/cpu.h"
#include "../engine/compare.h"
#include "../sweep/pcs.h"
#include "run.h"

#include <errno.h>
#include <string.h>

/* The kernel engine maps the whole case for each walk: it takes one new place in so many. */
static const u32 strides[SIM_N_ENGINES] = { 1, 1, 64 };

struct engine_sum {
	u64 n_walks, n_differing, n_compared;
	bool is_broken; /* it failed, or cannot run: no more walks */
	char first[384]; /* what differs first */
};

struct execution {
	struct sim_runner *r;
	const struct sim_case *c;
	struct sim_session *const *sessions;
	struct sim_target target; /* the case's, from where it stopped */
	struct sweep_pcs pcs;
	struct engine_sum sums[SIM_N_ENGINES];
	struct uw_sample deepest; /* what goes into JSON */
};

static void walk_other(struct execution *x, u32 e, u64 pc)
{
	struct engine_sum *sum = &x->sums[e];
	struct sim_session *session = x->sessions[e];
	struct sim_difference d;
	char words[320];
	int err = sim_session_walk(session, &x->target, x->r->other);

	if (err) {
		sum->is_broken = true;
		if (err == -EOPNOTSUPP)
			sim_run_cannot(x->r, session->engine->name, x->c->name, session->why);
		else
			snprintf(sum->first, sizeof(sum->first), "%s", session->why);
		return;
	}
	if (!sim_walk_compare(x->r->native, x->r->other, &d) && !sum->first[0]) {
		sim_difference_words(&d, x->r->native, x->r->other, words, sizeof(words));
		snprintf(sum->first, sizeof(sum->first), "at %#llx: %s", pc, words);
	}
	sum->n_walks++;
	sum->n_compared += d.n_compared;
	sum->n_differing += d.n_bytes;
}

static int at_stop(void *ctx, const struct sim_stop *stop)
{
	struct execution *x = ctx;
	const struct uw_sample *s = &x->r->native->state.sample;
	struct sweep_pc *seen = sweep_pcs_get(&x->pcs, stop->regs.pc);
	int err;

	if (!seen)
		return -ENOMEM;
	if (seen->value++)
		return 0;
	x->target.regs = stop->regs;
	err = sim_session_walk(x->sessions[0], &x->target, x->r->native);
	if (err)
		return err;
	x->sums[0].n_walks++;
	if (s->n_frames > x->deepest.n_frames)
		memcpy(&x->deepest, s,
		       offsetof(struct uw_sample, frames) + s->n_frames * sizeof(struct uw_frame));
	for (u32 e = 1; e < SIM_N_ENGINES; e++)
		if (x->sessions[e] && !x->sums[e].is_broken && x->pcs.n % strides[e] == 0)
			walk_other(x, e, stop->regs.pc);
	return 0;
}

static int report(struct execution *x, u32 e)
{
	const struct engine_sum *sum = &x->sums[e];
	const char *engine = sim_engines[e]->name;
	struct sim_runner *r = x->r;

	r->n_walks += sum->n_walks;
	r->n_compared += sum->n_compared;
	r->n_differing += sum->n_differing;
	r->n_wrong += sum->first[0] != 0;
	if (!sum->n_walks && !sum->first[0])
		return 0;
	if (sum->first[0])
		printf("%-6s %-6s %s: WRONG: %s\n", engine, x->c->arch->name, x->c->name,
		       sum->first);
	else if (!r->is_quiet)
		printf("%-6s %-6s %s: %llu instructions\n", engine, x->c->arch->name, x->c->name,
		       sum->n_walks);
	return r->json ? sim_run_json(r->json, x->c, engine, &x->deepest, !sum->first[0]) : 0;
}

int sim_run_executed(struct sim_runner *r, const struct sim_case *c,
		     struct sim_session *const sessions[SIM_N_ENGINES])
{
	static struct execution x;
	struct sim_cpu_run run = { .at_stop = at_stop, .ctx = &x };
	struct sim_error error = { "out of memory" };
	int err;

	x = (struct execution){ .r = r, .c = c, .sessions = sessions, .target = c->target };
	err = sim_cpu_run(c, &run, &error);
	sweep_pcs_deinit(&x.pcs);
	r->n_cases++;
	if (err) {
		fprintf(stderr, "unspool-sim: %s: %s\n", c->name, error.text);
		r->n_wrong++;
		return err == -ENOMEM ? err : 0;
	}
	for (u32 e = 0; e < SIM_N_ENGINES && !err; e++)
		if (sessions[e] && (e || r->is_wanted[0]))
			err = report(&x, e);
	return err;
}
