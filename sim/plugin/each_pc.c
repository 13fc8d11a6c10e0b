// SPDX-License-Identifier: BSD-2-Clause

#include "each_pc.h"

#include "../sweep/tally.h"
#include "process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* with a timeout of 10 s, this many queries take 50 s, because two run at once */
#define MAX_SILENT 10

struct asked {
	struct sim_plugin *plugin;
	struct plugin_listener listener;
	struct sweep_tally tally;
	struct sim_target target; /* the case's target, with the registers of the stop */
	struct plugin_shown *shown;
	struct sim_error *error;
	u32 n_silent; /* number of consecutive replies without an answer */
};

static int count_wrong(struct asked *a, const struct plugin_reply *r)
{
	struct sweep_pc *at = sweep_pcs_get(&a->tally.pcs, r->stop->regs.pc);
	const char *status = plugin_status_words[r->answer->status];
	char words[PLUGIN_WHY_LEN + 32];

	if (!at)
		return -ENOMEM;
	if (r->why)
		snprintf(words, sizeof(words), "no answer: %s", r->why);
	else
		snprintf(words, sizeof(words), "%s%s%s", status, r->answer->reason[0] ? ": " : "",
			 r->answer->reason);
	return sweep_tally_miss(&a->tally, at, r->stop,
				&(struct sweep_found){
					.pcs = r->answer->pcs,
					.stride = 1,
					.n = r->answer->n,
					.words = words,
				});
}

static void show(struct plugin_shown *shown, const struct plugin_reply *r)
{
	struct plugin_answer *to = &shown->answer;

	if (r->why || r->stop->truth.n <= shown->depth)
		return;
	shown->depth = r->stop->truth.n;
	to->status = r->answer->status;
	to->n = r->answer->n;
	memcpy(to->reason, r->answer->reason, sizeof(to->reason));
	memcpy(to->pcs, r->answer->pcs, to->n * sizeof(u64));
}

static int take_reply(void *ctx, const struct plugin_reply *r)
{
	struct asked *a = ctx;
	struct sweep_result *result = &a->tally.result;

	result->boundaries++;
	result->exact += r->verdict == PLUGIN_EXACT;
	result->n_acceptable += r->verdict == PLUGIN_ACCEPTABLE;
	result->n_unanswered += r->why != NULL;
	a->n_silent = r->why ? a->n_silent + 1 : 0;
	if (a->n_silent == MAX_SILENT)
		return sim_fail(a->error, -ECANCELED,
				"the plugin gave no answer %d times in a row; the last reason: %s",
				MAX_SILENT, r->why);
	if (a->shown)
		show(a->shown, r);
	return r->verdict == PLUGIN_WRONG ? count_wrong(a, r) : 0;
}

static int at_stop(void *ctx, const struct sim_stop *stop)
{
	struct asked *a = ctx;
	u32 n_before = a->tally.pcs.n;

	if (!sweep_pcs_get(&a->tally.pcs, stop->regs.pc))
		return -ENOMEM;
	if (a->tally.pcs.n == n_before || n_before % a->tally.result.every)
		return 0;
	a->target.regs = stop->regs;
	return plugin_ask(a->plugin, a->tally.c, &a->target, stop, &a->listener, a->error);
}

int plugin_each_pc(struct sim_plugin *p, const struct sim_case *c, u32 every,
		   struct plugin_shown *shown, struct sweep_result *out, struct sim_error *error)
{
	struct asked a = {
		.plugin = p,
		.listener = { take_reply, &a },
		.tally = { .c = c, .result = { .every = every ? every : 1, .has_verdicts = true } },
		.target = c->target,
		.shown = shown,
		.error = error,
	};
	struct sim_cpu_run run = { .at_stop = at_stop, .ctx = &a };
	int err = sweep_tally_run(&a.tally, &run, error), settled;

	settled = plugin_settle(p, err ? NULL : &a.listener);
	err = sweep_tally_end(&a.tally, err ? err : settled, out);
	if (!err)
		out->n_pcs = (u32)out->boundaries;
	return err;
}
