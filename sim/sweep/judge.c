// SPDX-License-Identifier: BSD-2-Clause

#include "judge.h"

#include "../cpu/cpu.h"
#include "../recorded/load.h"
#include "../where.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct judge {
	const struct sim_case *c;
	struct sweep_walker walker;
	struct sim_error *error;
	struct sweep_result result;
	struct sweep_pcs pcs; /* value: index of the pc's miss, plus 1 */
	u32 room; /* of result.misses */
	u32 n_skipped; /* boundaries since the last walk */
	struct sim_target target; /* the case's, with the registers of the stop */
	struct uw_state u;
};

bool sweep_is_exact(const struct uw_sample *s, const struct sim_truth *truth)
{
	if (s->n_frames != truth->n)
		return false;
	for (u32 i = 0; i < truth->n; i++)
		if (s->frames[i].pc != truth->pcs[i] ||
		    (truth->reasons && s->frames[i].status != truth->reasons[i]))
			return false;
	return true;
}

static bool has_status(const struct judge *j)
{
	return j->c->is_executed || j->u.sample.status == j->c->status;
}

/* Frame 1 is missing, all others are there. */
static bool loses_caller(const struct uw_sample *s, const struct sim_truth *truth)
{
	if (truth->n < 2 || s->n_frames != truth->n - 1 || s->frames[0].pc != truth->pcs[0])
		return false;
	for (u32 i = 1; i < s->n_frames; i++)
		if (s->frames[i].pc != truth->pcs[i + 1])
			return false;
	return true;
}

static int new_miss(struct judge *j, const struct sim_stop *stop)
{
	struct sweep_result *r = &j->result;
	const struct uw_sample *s = &j->u.sample;
	struct sweep_miss *m;

	if (r->n_misses == j->room) {
		u32 room = j->room ? j->room * 2 : 256;

		m = realloc(r->misses, room * sizeof(*m));
		if (!m)
			return -ENOMEM;
		r->misses = m;
		j->room = room;
	}
	m = &r->misses[r->n_misses];
	*m = (struct sweep_miss){
		.pc = stop->regs.pc,
		.window = sim_window_at(j->c, stop->regs.pc),
		.expected = malloc(((size_t)stop->truth.n + s->n_frames) * sizeof(u64)),
		.n_expected = stop->truth.n,
		.n_found = s->n_frames,
		.status = s->status,
		.wanted_status = j->c->is_executed ? UW_N_STATUS : j->c->status,
		.code_len = (u8)stop->code_len,
	};
	if (!m->expected)
		return -ENOMEM;
	memcpy(m->expected, stop->truth.pcs, stop->truth.n * sizeof(u64));
	m->found = m->expected + stop->truth.n;
	for (u32 i = 0; i < s->n_frames; i++)
		m->found[i] = s->frames[i].pc;
	memcpy(m->code, stop->code, stop->code_len);
	r->n_misses++;
	return 0;
}

static int count_miss(struct judge *j, const struct sim_stop *stop, struct sweep_pc *at)
{
	bool is_caller = loses_caller(&j->u.sample, &stop->truth);
	struct sweep_miss *m;

	if (!at->value) {
		int err = new_miss(j, stop);

		if (err)
			return err;
		at->value = j->result.n_misses;
	}
	m = &j->result.misses[at->value - 1];
	m->n++;
	m->n_lost_caller += is_caller;
	j->result.n_lost_caller += is_caller;
	j->result.n_in_windows += m->window != NULL;
	return 0;
}

static int walk_failed(const struct judge *j, u64 pc, int err)
{
	const struct sweep_walker *w = &j->walker;
	char words[128];

	if (err == -ENODATA)
		return sim_fail(j->error, err, "%s: %s", w->name,
				sim_mem_missing_words(j->c->target.mem, words, sizeof(words)));
	return sim_fail(j->error, err, "%s can't walk at %#llx: %s", w->name, pc,
			w->why && *w->why ? w->why : strerror(-err));
}

static int at_stop(void *ctx, const struct sim_stop *stop)
{
	struct judge *j = ctx;
	struct sweep_pc *at;
	int err;

	if (j->n_skipped && j->n_skipped++ < j->walker.every)
		return 0;
	j->n_skipped = 1;
	at = sweep_pcs_get(&j->pcs, stop->regs.pc);
	if (!at)
		return -ENOMEM;
	j->target.regs = stop->regs;
	err = j->walker.walk(j->walker.ctx, &j->target, &j->u);
	if (err)
		return walk_failed(j, stop->regs.pc, err);
	j->result.boundaries++;
	if (sweep_is_exact(&j->u.sample, &stop->truth) && has_status(j)) {
		j->result.exact++;
		return 0;
	}
	return count_miss(j, stop, at);
}

static int walk_natively(void *ctx, const struct sim_target *target, struct uw_state *u)
{
	const struct sim_arch *arch = ctx;

	target->mem->missing.len = 0;
	arch->walk(u, target);
	return target->mem->missing.len ? -ENODATA : 0;
}

static int compare_misses(const void *a, const void *b)
{
	u64 x = ((const struct sweep_miss *)a)->pc, y = ((const struct sweep_miss *)b)->pc;

	return (x > y) - (x < y);
}

/* The one stop of a hand-laid case. */
static int stop_once(struct judge *j)
{
	const struct sim_target *t = &j->c->target;
	struct sim_stop stop = { .regs = t->regs, .truth = j->c->truth };
	u8 code[SWEEP_CODE_LEN];

	for (u32 len = sizeof(code); len && !stop.code_len; len /= 2)
		if (!sim_mem_read(t->mem, code, len, t->regs.pc))
			stop.code_len = len;
	stop.code = code;
	return at_stop(j, &stop);
}

int sweep_judge(const struct sim_case *c, const struct sweep_walker *walker,
		struct sweep_result *out, struct sim_error *error)
{
	struct judge *j = calloc(1, sizeof(*j));
	struct sim_cpu_run run = { .at_stop = at_stop, .ctx = j };
	int err;

	if (!j)
		return -ENOMEM;
	if (sim_is_unjudged(c)) {
		free(j);
		return sim_fail(error, -ENODATA, "it tells nothing that a walk must find");
	}
	j->c = c;
	if (walker)
		j->walker = *walker;
	if (!j->walker.walk)
		j->walker = (struct sweep_walker){ "native", walk_natively, (void *)c->arch, NULL,
						   j->walker.every };
	j->error = error;
	j->target = c->target;
	j->result.every = j->walker.every ? j->walker.every : 1;
	err = c->is_executed ? sim_cpu_run(c, &run, error) : stop_once(j);
	if (!err) {
		if (j->result.n_misses)
			qsort(j->result.misses, j->result.n_misses, sizeof(*j->result.misses),
			      compare_misses);
		j->result.n_pcs = j->pcs.n;
		*out = j->result;
	} else {
		sweep_result_deinit(&j->result);
	}
	sweep_pcs_deinit(&j->pcs);
	free(j);
	return err;
}

void sweep_result_deinit(struct sweep_result *r)
{
	for (u32 i = 0; i < r->n_misses; i++)
		free(r->misses[i].expected);
	free(r->misses);
	*r = (struct sweep_result){ 0 };
}

double sweep_percent(u64 exact, u64 boundaries)
{
	return boundaries ? 100.0 * (double)exact / (double)boundaries : 0;
}
