// SPDX-License-Identifier: BSD-2-Clause

#include "run.h"

#include "../engine/compare.h"
#include "../stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct sim_arch *const sim_archs[SIM_N_ARCHS] = { &sim_arch_x86_64, &sim_arch_arm64 };

int sim_runner_init(struct sim_runner *out)
{
	struct sim_runner r = {
		.native = calloc(1, sizeof(struct sim_walk)),
		.other = calloc(1, sizeof(struct sim_walk)),
	};

	if (!r.native || !r.other) {
		free(r.native);
		free(r.other);
		return -ENOMEM;
	}
	*out = r;
	return 0;
}

void sim_runner_deinit(struct sim_runner *r)
{
	for (u32 a = 0; a < SIM_N_ARCHS; a++)
		for (u32 e = 0; e < SIM_N_ENGINES; e++)
			sim_session_close(&r->sessions[a][e]);
	free(r->native);
	free(r->other);
	*r = (struct sim_runner){ 0 };
}

static u32 arch_idx(const struct sim_arch *arch)
{
	return arch == sim_archs[0] ? 0 : 1;
}

void sim_run_cannot(struct sim_runner *r, const char *engine, const char *where, const char *why)
{
	if (!r->cannot[0])
		snprintf(r->cannot, sizeof(r->cannot), "engine %s cannot run %s: %s", engine, where,
			 why);
}

int sim_runner_open(struct sim_runner *r, const struct sim_arch *arch)
{
	for (u32 e = 0; e < SIM_N_ENGINES; e++) {
		struct sim_session **session = &r->sessions[arch_idx(arch)][e];
		const char *why;
		int err;

		if (!r->is_wanted[e] && sim_engines[e] != &sim_engine_native)
			continue;
		err = sim_session_open(sim_engines[e], arch, session);
		if (!err)
			continue;
		why = *session ? (*session)->why : strerror(-err);
		if (err != -EOPNOTSUPP) {
			fprintf(stderr, "unspool-sim: engine %s: %s\n", sim_engines[e]->name, why);
			return err;
		}
		sim_run_cannot(r, sim_engines[e]->name, "here", why);
		sim_session_close(session);
	}
	return 0;
}

/* First frame that is not the truth's; n_frames of both if none. */
static u32 first_wrong(const struct uw_sample *s, const struct sim_truth *truth)
{
	u32 i = 0;

	while (i < s->n_frames && i < truth->n && s->frames[i].pc == truth->pcs[i])
		i++;
	return i;
}

/* In one line, what a walk missed of the truth. False: nothing. */
static bool misses_truth(const struct sim_case *c, const struct uw_sample *s, char *words,
			 size_t len)
{
	u32 at = first_wrong(s, &c->truth);

	if (at < s->n_frames || at < c->truth.n)
		snprintf(words, len, "frame %u is %#llx, expected %#llx", at,
			 at < s->n_frames ? s->frames[at].pc : 0,
			 at < c->truth.n ? c->truth.pcs[at] : 0);
	else if (s->status != c->status)
		snprintf(words, len, "it ends with \"%s\", expected \"%s\"",
			 sim_status_words(s->status), sim_status_words(c->status));
	else
		return false;
	return true;
}

static void say(const struct sim_runner *r, const struct sim_case *c, const char *engine,
		const struct uw_sample *s, const char *wrong)
{
	if (r->is_quiet && !wrong[0])
		return;
	printf("%-6s %-6s %s: ", engine, c->arch->name, c->name);
	if (wrong[0])
		printf("WRONG: %s\n", wrong);
	else
		printf("%s, %u frames, %u reads\n", sim_status_words(s->status), s->n_frames,
		       s->n_reads);
}

static int judge(struct sim_runner *r, const struct sim_case *c, const char *engine,
		 const struct sim_walk *walk)
{
	const struct uw_sample *s = &walk->state.sample;
	char wrong[384] = "", words[384];
	struct sim_difference d;

	misses_truth(c, s, wrong, sizeof(wrong));
	if (walk != r->native) {
		if (!sim_walk_compare(r->native, walk, &d)) {
			sim_difference_words(&d, r->native, walk, words, sizeof(words));
			snprintf(wrong, sizeof(wrong), "%llu bytes differ from native: %.300s",
				 d.n_bytes, words);
		}
		r->n_compared += d.n_compared;
		r->n_differing += d.n_bytes;
	}
	r->n_walks++;
	r->n_wrong += wrong[0] != 0;
	say(r, c, engine, s, wrong);
	return r->json ? sim_run_json(r->json, c, engine, s, !wrong[0]) : 0;
}

static int run_other(struct sim_runner *r, const struct sim_case *c, struct sim_session *session)
{
	const char *engine = session->engine->name;
	int err = sim_session_walk(session, &c->target, r->other);

	if (!err)
		return judge(r, c, engine, r->other);
	if (err == -EOPNOTSUPP) {
		sim_run_cannot(r, engine, c->name, session->why);
		return 0;
	}
	r->n_walks++;
	r->n_wrong++;
	printf("%-6s %-6s %s: WRONG: %s\n", engine, c->arch->name, c->name, session->why);
	return 0;
}

int sim_run_case(struct sim_runner *r, const struct sim_case *c)
{
	struct sim_session **sessions = r->sessions[arch_idx(c->arch)];
	int err;

	if (c->is_executed)
		return sim_run_executed(r, c, sessions);
	err = sim_session_walk(sessions[0], &c->target, r->native);
	if (err) {
		fprintf(stderr, "unspool-sim: %s: %s\n", c->name, sessions[0]->why);
		return err;
	}
	r->n_cases++;
	if (r->is_wanted[0])
		err = judge(r, c, sim_engine_native.name, r->native);
	for (u32 e = 1; e < SIM_N_ENGINES && !err; e++)
		if (sessions[e])
			err = run_other(r, c, sessions[e]);
	return err;
}
