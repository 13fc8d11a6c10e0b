// SPDX-License-Identifier: BSD-2-Clause

/*
 * Runs a case with a plug-in, and prints the answer for the deepest call stack. The case passes if
 * none of the plug-in's answers is wrong.
 */

#include "../cmd/json_line.h"
#include "../plugin/each_pc.h"
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static json_t *answer_json(const struct sim_case *c, const struct plugin_answer *answer,
			   const struct sweep_result *s)
{
	json_t *frames = json_array();
	json_t *line;

	for (u32 i = 0; i < answer->n; i++)
		json_array_append_new(frames,
				      json_pack("{s:o}", "pc", sim_json_hex(answer->pcs[i])));
	line = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:b, s:I, s:I, s:I, s:I, s:I}", "type",
			 "run", "case", c->name, "arch", c->arch->name, "engine", "plugin",
			 "status", plugin_status_words[answer->status], "frames", frames, "equal",
			 s->exact == s->boundaries, "walks", (json_int_t)s->boundaries, "exact",
			 (json_int_t)s->exact, "acceptable", (json_int_t)s->n_acceptable, "wrong",
			 (json_int_t)sweep_n_wrong(s), "unanswered", (json_int_t)s->n_unanswered);
	if (line && answer->reason[0])
		json_object_set_new(line, "reason", json_string(answer->reason));
	return line;
}

static void print(const struct sim_runner *r, const struct sim_case *c,
		  const struct sweep_result *s, const char *words)
{
	if (r->options->is_quiet && !sweep_n_wrong(s))
		return;
	fprintf(r->out.people, "%-6s %-6s %s: %s%s\n", "plugin", c->arch->name, c->name,
		sweep_n_wrong(s) ? "WRONG: " : "", words);
}

/* Formats the counts and the first wrong answer. */
static void summarize(const struct sweep_result *s, char *words, size_t size)
{
	const struct sweep_miss *m = s->misses;
	int n = snprintf(words, size, "%llu exact, %llu acceptable, %llu wrong", s->exact,
			 s->n_acceptable, sweep_n_wrong(s));

	if (s->n_misses)
		snprintf(words + n, size - (size_t)n,
			 "; first wrong answer, at %#llx: %u of %u frames; %s", m->pc, m->n_found,
			 m->n_expected, m->words);
}

static int report(struct sim_runner *r, const struct sim_case *c, const struct plugin_shown *shown,
		  const struct sweep_result *s)
{
	char words[384];
	struct sim_verdict verdict = { c->name, c->arch->name, "plugin",
				       sweep_n_wrong(s) ? SIM_FAILED : SIM_PASSED, words };
	int err = 0;

	summarize(s, words, sizeof(words));
	r->n_walks += s->boundaries;
	r->n_results++;
	r->n_wrong += sweep_n_wrong(s) != 0;
	print(r, c, s, words);
	if (r->out.json)
		err = shown->depth ? sim_json_line(r->out.json, answer_json(c, &shown->answer, s))
				   : sim_json_not_run(r->out.json, &verdict);
	return err ? err : sim_outputs_verdict(&r->out, &verdict);
}

/* Reports that the program can't be started on this machine. */
static int cannot(struct sim_runner *r, const struct sim_case *c, const char *why)
{
	struct sim_verdict verdict = { c->name, c->arch->name, "plugin", SIM_CANNOT_RUN, why };
	int err = 0;

	sim_sessions_cannot(&r->sessions, "plugin", c->name, why);
	if (r->out.json)
		err = sim_json_not_run(r->out.json, &verdict);
	return err ? err : sim_outputs_verdict(&r->out, &verdict);
}

int sim_run_plugin(struct sim_runner *r, const struct sim_case *c)
{
	struct plugin_shown *shown = calloc(1, sizeof(*shown));
	struct sim_error error = { "out of memory" };
	struct sweep_result result = { 0 };
	int err = shown ? plugin_each_pc(r->strangers.plugin, c, 1, shown, &result, &error)
			: -ENOMEM;

	r->n_cases++;
	if (!err)
		err = report(r, c, shown, &result);
	else if (err == -EOPNOTSUPP)
		err = cannot(r, c, error.text);
	else if (err != -ENOMEM)
		err = sim_run_broken(r, c->name, c->arch, error.text);
	sweep_result_deinit(&result);
	free(shown);
	return err;
}
