// SPDX-License-Identifier: BSD-2-Clause

/*
 * Runs an executed case in engines: the CPU stops at each instruction. At the first arrival at a
 * pc, every engine walks from that stop, over the memory at that moment.
 *
 * One walk is printed and must be right. This is a walk at a stop with the deepest call stack,
 * outside of frameless code. Of several such walks, it is the first that finds the whole stack,
 * or, if none does, the very first.
 */

#include "run.h"

#include "../case/where.h"
#include "../cpu/cpu.h"
#include "../sweep/judge.h"

#include <errno.h>
#include <string.h>

/* The kernel engine maps the whole case for each walk, so it walks at only one of 64 new pcs. */
static const u32 strides[SIM_N_ENGINES] = { 1, 1, 64 };

struct engine_sum {
	struct sim_result result;
	bool is_over; /* the engine makes no more walks, because it failed or can't walk the case */
	bool cannot;
	struct uw_sample deepest;
};

struct execution {
	struct sim_runner *r;
	const struct sim_case *c;
	struct sim_session *const *sessions;
	struct sim_target target; /* the case's target, with the registers of the stop */
	struct sweep_pcs pcs;
	struct engine_sum sums[SIM_N_ENGINES];
	u32 depth; /* depth of the deepest call stack so far */
	bool is_found; /* a native walk has found the whole deepest call stack */
};

/* Counts a walk; if @is_shown is set, this walk is the one that will be printed. */
static void take(struct engine_sum *sum, const struct uw_sample *s, bool is_exact, bool is_shown)
{
	sum->result.n_walks++;
	sum->result.n_exact += is_exact;
	if (!is_shown)
		return;
	memcpy(&sum->deepest, s,
	       offsetof(struct uw_sample, frames) + s->n_frames * sizeof(struct uw_frame));
	sum->result.sample = &sum->deepest;
}

static void walk_other(struct execution *x, u32 e, const struct sim_truth *truth, bool is_shown)
{
	struct engine_sum *sum = &x->sums[e];
	char *wrong = sum->result.wrong, words[320];
	const struct uw_sample *s = &x->r->other->state.sample;
	struct sim_difference d;
	int err = sim_session_walk(x->sessions[e], &x->target, x->r->other);

	if (err) {
		sum->is_over = true;
		sum->cannot = err == -EOPNOTSUPP;
		snprintf(wrong, sizeof(sum->result.wrong), "%s", x->sessions[e]->why);
		return;
	}
	if (!sim_walk_compare(x->r->native, x->r->other, &d) && !wrong[0]) {
		sim_difference_words(&d, x->r->native, x->r->other, words, sizeof(words));
		snprintf(wrong, sizeof(sum->result.wrong),
			 "at %#llx: the walk differs from the native walk: %s", truth->pcs[0],
			 words);
	}
	x->r->n_compared += d.n_compared;
	x->r->n_differing += d.n_bytes;
	take(sum, s, sweep_is_exact(s, truth), is_shown);
}

static int at_stop(void *ctx, const struct sim_stop *stop)
{
	struct execution *x = ctx;
	const struct sim_truth *truth = &stop->truth;
	const struct uw_sample *s = &x->r->native->state.sample;
	struct sweep_pc *seen = sweep_pcs_get(&x->pcs, stop->regs.pc);
	bool is_exact, is_shown, is_deeper;
	int err;

	if (!seen)
		return -ENOMEM;
	if (seen->value++)
		return 0;
	x->target.regs = stop->regs;
	err = sim_session_walk(x->sessions[0], &x->target, x->r->native);
	if (err)
		return err;
	is_exact = sweep_is_exact(s, truth);
	is_deeper = truth->n > x->depth && !sim_window_at(x->c, stop->regs.pc);
	is_shown = is_deeper || (truth->n == x->depth && is_exact && !x->is_found);
	if (is_shown)
		x->is_found = is_exact;
	if (is_deeper)
		x->depth = truth->n;
	take(&x->sums[0], s, is_exact, is_shown);
	for (u32 e = 1; e < SIM_N_ENGINES; e++)
		if (x->sessions[e] && !x->sums[e].is_over &&
		    (is_shown || x->pcs.n % strides[e] == 0))
			walk_other(x, e, truth, is_shown);
	return 0;
}

static int report(struct execution *x, u32 e)
{
	struct engine_sum *sum = &x->sums[e];

	if (sum->cannot)
		return sim_run_cannot(x->r, x->c, x->sessions[e]);
	sum->result.c = x->c;
	sum->result.engine = sim_engines[e]->name;
	if (!x->is_found && !sum->result.wrong[0])
		snprintf(sum->result.wrong, sizeof(sum->result.wrong),
			 "the deepest call stack, %u frames, was not found completely at any "
			 "instruction",
			 x->depth);
	return sim_run_report(x->r, &sum->result);
}

int sim_run_executed(struct sim_runner *r, const struct sim_case *c)
{
	static struct execution x;
	struct sim_cpu_run run = { .at_stop = at_stop, .ctx = &x };
	struct sim_error error = { "out of memory" };
	int err;

	x = (struct execution){ .r = r,
				.c = c,
				.sessions = sim_sessions_of(&r->sessions, c->arch),
				.target = c->target };
	err = sim_cpu_run(c, &run, &error);
	sweep_pcs_deinit(&x.pcs);
	r->n_cases++;
	if (err)
		return err == -ENOMEM ? err : sim_run_broken(r, c->name, c->arch, error.text);
	for (u32 e = 0; e < SIM_N_ENGINES && !err; e++)
		if (x.sessions[e] && r->options->engines[e])
			err = report(&x, e);
	return err;
}
