// SPDX-License-Identifier: BSD-2-Clause

#include "tally.h"

#include "../../inspect/util/array.h"
#include "../case/where.h"
#include "../recorded/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether frame 1 is missing and all other frames were found. */
static bool loses_caller(const struct sweep_found *f, const struct sim_truth *truth)
{
	if (truth->n < 2 || f->n != truth->n - 1 || f->pcs[0] != truth->pcs[0])
		return false;
	for (u32 i = 1; i < f->n; i++)
		if (f->pcs[(size_t)i * f->stride] != truth->pcs[i + 1])
			return false;
	return true;
}

static int new_miss(struct sweep_tally *t, const struct sim_stop *stop, const struct sweep_found *f)
{
	struct sweep_result *r = &t->result;
	const struct sim_window *window = sim_window_at(t->c, stop->regs.pc);
	struct sweep_miss *m;

	if (array_reserve(r->misses, t->room, r->n_misses + 1))
		return -ENOMEM;
	m = &r->misses[r->n_misses];
	*m = (struct sweep_miss){
		.pc = stop->regs.pc,
		.frameless = window ? window->what : NULL,
		.expected = malloc(((size_t)stop->truth.n + f->n) * sizeof(u64)),
		.n_expected = stop->truth.n,
		.n_found = f->n,
		.status = f->status,
		.wanted_status = t->c->is_executed ? UW_N_STATUS : t->c->status,
		.code_len = (u8)stop->code_len,
	};
	if (f->words)
		m->words = strdup(f->words);
	if (!m->expected || (f->words && !m->words)) {
		free(m->expected);
		free(m->words);
		return -ENOMEM;
	}
	memcpy(m->expected, stop->truth.pcs, stop->truth.n * sizeof(u64));
	m->found = m->expected + stop->truth.n;
	for (u32 i = 0; i < f->n; i++)
		m->found[i] = f->pcs[(size_t)i * f->stride];
	memcpy(m->code, stop->code, stop->code_len);
	r->n_misses++;
	return 0;
}

int sweep_tally_miss(struct sweep_tally *t, struct sweep_pc *at, const struct sim_stop *stop,
		     const struct sweep_found *found)
{
	bool is_caller = loses_caller(found, &stop->truth);
	struct sweep_miss *m;

	if (!at->value) {
		int err = new_miss(t, stop, found);

		if (err)
			return err;
		at->value = t->result.n_misses;
	}
	m = &t->result.misses[at->value - 1];
	m->n++;
	m->n_lost_caller += is_caller;
	t->result.n_lost_caller += is_caller;
	t->result.n_frameless += m->frameless != NULL;
	return 0;
}

/* Runs the only stop of a hand-laid case. */
static int stop_once(const struct sim_case *c, struct sim_cpu_run *run)
{
	const struct sim_target *t = &c->target;
	struct sim_stop stop = { .regs = t->regs, .truth = c->truth };
	u8 code[SWEEP_CODE_LEN];

	for (u32 len = sizeof(code); len && !stop.code_len; len /= 2)
		if (!sim_mem_read(t->mem, code, len, t->regs.pc))
			stop.code_len = len;
	stop.code = code;
	return run->at_stop(run->ctx, &stop);
}

int sweep_tally_run(const struct sweep_tally *t, struct sim_cpu_run *run, struct sim_error *error)
{
	if (sim_is_unjudged(t->c))
		return sim_fail(error, -ENODATA, "the case has no truth and no recorded walk");
	return t->c->is_executed ? sim_cpu_run(t->c, run, error) : stop_once(t->c, run);
}

static int compare_misses(const void *a, const void *b)
{
	u64 x = ((const struct sweep_miss *)a)->pc, y = ((const struct sweep_miss *)b)->pc;

	return (x > y) - (x < y);
}

int sweep_tally_end(struct sweep_tally *t, int err, struct sweep_result *out)
{
	struct sweep_result *r = &t->result;

	if (!err) {
		if (r->n_misses)
			qsort(r->misses, r->n_misses, sizeof(*r->misses), compare_misses);
		r->n_pcs = t->pcs.n;
		*out = *r;
	} else {
		sweep_result_deinit(r);
	}
	sweep_pcs_deinit(&t->pcs);
	return err;
}

void sweep_result_deinit(struct sweep_result *r)
{
	for (u32 i = 0; i < r->n_misses; i++) {
		free(r->misses[i].expected);
		free(r->misses[i].words);
	}
	free(r->misses);
	*r = (struct sweep_result){ 0 };
}

u64 sweep_n_wrong(const struct sweep_result *r)
{
	return r->boundaries - r->exact - r->n_acceptable;
}

double sweep_percent(u64 exact, u64 boundaries)
{
	return boundaries ? 100.0 * (double)exact / (double)boundaries : 0;
}
