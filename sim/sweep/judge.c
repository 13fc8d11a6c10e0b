// SPDX-License-Identifier: BSD-2-Clause

#include "judge.h"

#include "tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct judge {
	struct sweep_walker walker;
	struct sim_error *error;
	struct sweep_tally tally;
	u32 n_skipped; /* number of boundaries since the last walk */
	struct sim_target target; /* the case's target, with the registers of the stop */
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
	const struct sim_case *c = j->tally.c;

	return c->is_executed || j->u.sample.status == c->status;
}

static int walk_failed(const struct judge *j, u64 pc, int err)
{
	const struct sweep_walker *w = &j->walker;
	char words[128];

	if (err == -ENODATA)
		return sim_fail(
			j->error, err, "%s: %s", w->name,
			sim_mem_missing_words(j->tally.c->target.mem, words, sizeof(words)));
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
	at = sweep_pcs_get(&j->tally.pcs, stop->regs.pc);
	if (!at)
		return -ENOMEM;
	j->target.regs = stop->regs;
	err = j->walker.walk(j->walker.ctx, &j->target, &j->u);
	if (err)
		return walk_failed(j, stop->regs.pc, err);
	j->tally.result.boundaries++;
	if (sweep_is_exact(&j->u.sample, &stop->truth) && has_status(j)) {
		j->tally.result.exact++;
		return 0;
	}
	return sweep_tally_miss(&j->tally, at, stop,
				&(struct sweep_found){
					.pcs = &j->u.sample.frames[0].pc,
					.stride = sizeof(struct uw_frame) / sizeof(u64),
					.n = j->u.sample.n_frames,
					.status = j->u.sample.status,
				});
}

static int walk_natively(void *ctx, const struct sim_target *target, struct uw_state *u)
{
	const struct sim_arch *arch = ctx;

	target->mem->missing.len = 0;
	arch->walk(u, target);
	return target->mem->missing.len ? -ENODATA : 0;
}

int sweep_judge(const struct sim_case *c, const struct sweep_walker *walker,
		struct sweep_result *out, struct sim_error *error)
{
	struct judge *j = calloc(1, sizeof(*j));
	struct sim_cpu_run run = { .at_stop = at_stop, .ctx = j };
	int err;

	if (!j)
		return -ENOMEM;
	j->tally.c = c;
	if (walker)
		j->walker = *walker;
	if (!j->walker.walk)
		j->walker = (struct sweep_walker){ "native", walk_natively, (void *)c->arch, NULL,
						   j->walker.every };
	j->error = error;
	j->target = c->target;
	j->tally.result.every = j->walker.every ? j->walker.every : 1;
	err = sweep_tally_end(&j->tally, sweep_tally_run(&j->tally, &run, error), out);
	free(j);
	return err;
}
