// SPDX-License-Identifier: BSD-2-Clause

#include "run.h"

#include "../../inspect/util/term.h"
#include "../case/stack.h"
#include "../cmd/cli.h"
#include "../cmd/json_line.h"
#include "../recorded/load.h"
#include "../recorded/repeat.h"

#include <errno.h>
#include <string.h>

/* Returns the index of the first frame that differs from the truth; n_frames if there is none. */
static u32 first_wrong(const struct uw_sample *s, const struct sim_truth *truth)
{
	u32 i = 0;

	while (i < s->n_frames && i < truth->n && s->frames[i].pc == truth->pcs[i])
		i++;
	return i;
}

/* Describes a frame whose reason differs from the expected reason, if there is such a frame. */
static void say_reason(const struct uw_sample *s, const struct sim_truth *truth, char *words,
		       size_t len)
{
	for (u32 i = 0; truth->reasons && i < truth->n; i++)
		if (s->frames[i].status != truth->reasons[i])
			snprintf(words, len, "frame %u: \"%s\", expected \"%s\"", i,
				 sim_status_words(s->frames[i].status),
				 sim_status_words(truth->reasons[i]));
}

/*
 * Describes in one line how a walk differs from the truth; leaves @words empty if it does not
 * differ.
 */
static void say_missed(const struct sim_case *c, const struct uw_sample *s, char *words, size_t len)
{
	u32 at = first_wrong(s, &c->truth);

	if (sim_is_unjudged(c))
		return;
	if (at < s->n_frames || at < c->truth.n)
		snprintf(words, len, "frame %u is %#llx, expected %#llx", at,
			 at < s->n_frames ? s->frames[at].pc : 0,
			 at < c->truth.n ? c->truth.pcs[at] : 0);
	else if (s->status != c->status)
		snprintf(words, len, "the walk ends with \"%s\", expected \"%s\"",
			 sim_status_words(s->status), sim_status_words(c->status));
	else
		say_reason(s, &c->truth, words, len);
}

static void print_result(const struct sim_runner *r, const struct sim_result *result)
{
	FILE *f = r->out.people;
	const struct uw_sample *s = result->sample;

	if (r->options->is_quiet && !result->wrong[0])
		return;
	fprintf(f, "%-6s %-6s %s: ", result->engine, result->c->arch->name, result->c->name);
	if (result->wrong[0])
		fprintf(f, "WRONG: %s\n", result->wrong);
	else if (result->c->is_executed)
		fprintf(f,
			"the engine walked at %llu instructions; the walk is exact at %llu of "
			"these instructions\n",
			result->n_walks, result->n_exact);
	else
		fprintf(f, "%s, %u frames, %u reads%s\n", sim_status_words(s->status), s->n_frames,
			s->n_reads,
			sim_is_unjudged(result->c) ? "; not compared: the true stack is unknown "
						     "('unspool-sim explain' prints the frames)"
						   : "");
}

int sim_run_report(struct sim_runner *r, const struct sim_result *result)
{
	struct sim_verdict verdict = { result->c->name, result->c->arch->name, result->engine,
				       result->wrong[0] ? SIM_FAILED : SIM_PASSED, result->wrong };
	int err = 0;

	r->n_walks += result->n_walks;
	r->n_results++;
	r->n_wrong += result->wrong[0] != 0;
	print_result(r, result);
	if (r->out.json)
		err = result->sample ? sim_run_json(r->out.json, result)
				     : sim_json_not_run(r->out.json, &verdict);
	return err ? err : sim_outputs_verdict(&r->out, &verdict);
}

/* Prints an error about a file, but only once if the error is the same for each architecture. */
static void complain(struct sim_runner *r, const char *name, const char *why)
{
	bool has_name = !strncmp(why, name, strlen(name));
	char line[sizeof(r->complaint)];

	snprintf(line, sizeof(line), "%s%s%s", has_name ? "" : name, has_name ? "" : ": ", why);
	if (!strcmp(line, r->complaint))
		return;
	memcpy(r->complaint, line, sizeof(line));
	cli_error("%s", line);
}

int sim_run_broken(struct sim_runner *r, const char *name, const struct sim_arch *arch,
		   const char *why)
{
	char safe[1024];
	u32 e = 0;
	struct sim_verdict verdict = { term_escape(name, safe, sizeof(safe)), arch->name, NULL,
				       SIM_FAILED, why };
	int err = 0;

	while (e < SIM_N_ENGINES - 1 && !r->options->engines[e])
		e++;
	verdict.engine = r->strangers.plugin ? "plugin" : sim_engines[e]->name;
	r->n_broken++;
	complain(r, verdict.name, why);
	if (r->out.json)
		err = sim_json_not_run(r->out.json, &verdict);
	return err ? err : sim_outputs_verdict(&r->out, &verdict);
}

static int judge(struct sim_runner *r, const struct sim_case *c, const char *engine,
		 const struct sim_walk *walk)
{
	struct sim_result result = { c, engine, &walk->state.sample, 1, 0, "" };
	struct sim_difference d;
	char words[320];

	say_missed(c, &walk->state.sample, result.wrong, sizeof(result.wrong));
	if (!result.wrong[0] && sim_repeat_differs(c, walk, result.wrong, sizeof(result.wrong)) < 0)
		return -ENOMEM;
	if (walk != r->native) {
		if (!sim_walk_compare(r->native, walk, &d)) {
			sim_difference_words(&d, r->native, walk, words, sizeof(words));
			snprintf(result.wrong, sizeof(result.wrong),
				 "%llu bytes differ from the native walk: %s", d.n_bytes, words);
		}
		r->n_compared += d.n_compared;
		r->n_differing += d.n_bytes;
	}
	return sim_run_report(r, &result);
}

static int run_other(struct sim_runner *r, const struct sim_case *c, struct sim_session *session)
{
	struct sim_result result = { c, session->engine->name, NULL, 1, 0, "" };
	int err = sim_session_walk(session, &c->target, r->other);

	if (!err)
		return judge(r, c, result.engine, r->other);
	snprintf(result.wrong, sizeof(result.wrong), "%s", session->why);
	return err == -EOPNOTSUPP ? sim_run_cannot(r, c, session) : sim_run_report(r, &result);
}

int sim_run_cannot(struct sim_runner *r, const struct sim_case *c,
		   const struct sim_session *session)
{
	const char *engine = session->engine->name;
	struct sim_verdict verdict = { c->name, c->arch->name, engine, SIM_CANNOT_RUN,
				       session->why };
	int err = 0;

	sim_sessions_cannot(&r->sessions, engine, c->name, session->why);
	if (r->out.json)
		err = sim_json_not_run(r->out.json, &verdict);
	return err ? err : sim_outputs_verdict(&r->out, &verdict);
}

int sim_run_case(struct sim_runner *r, const struct sim_case *c)
{
	struct sim_session *const *sessions = sim_sessions_of(&r->sessions, c->arch);
	int err;

	if (c->is_executed)
		return sim_run_executed(r, c);
	err = sim_session_walk(sessions[0], &c->target, r->native);
	if (err)
		return sim_run_broken(r, c->name, c->arch, sessions[0]->why);
	r->n_cases++;
	if (r->options->engines[0])
		err = judge(r, c, sim_engine_native.name, r->native);
	for (u32 e = 1; e < SIM_N_ENGINES && !err; e++)
		if (sessions[e])
			err = run_other(r, c, sessions[e]);
	return err;
}
