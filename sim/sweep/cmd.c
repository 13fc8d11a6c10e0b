// SPDX-License-Identifier: BSD-2-Clause

/* `unspool-sim sweep`: walks at every instruction of every case in each engine, and judges the
 * frames. */

#include "../../inspect/util/term.h"
#include "../cmd/cli.h"
#include "../cmd/commands.h"
#include "../cmd/outputs.h"
#include "../cmd/sessions.h"
#include "../cmd/strangers.h"
#include "../plugin/each_pc.h"
#include "engines.h"
#include "report.h"

#include <errno.h>
#include <string.h>

struct options {
	struct sim_options common;
	u32 every; /* 0: the engine's default */
	u32 n_shown;
};

struct sweep {
	const struct options *o;
	struct sim_sessions sessions;
	struct sim_strangers strangers;
	struct sim_outputs out;
	struct report report;
};

enum { KEY_EVERY = 256 };

static const struct argp_option argp_options[] = {
	{ "misses", 'm', "N", 0, "Show at most N misses of each case in the table (default 3)", 0 },
	{ "every", KEY_EVERY, "N", 0,
	  "Walk at only one boundary in N (default 1, for the kernel engine 997); query a plugin "
	  "at only one pc in N",
	  0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case 'm':
		return sim_parse_u32(arg, &o->n_shown)
			       ? 0
			       : sim_usage("--misses needs a number from 0 to 1000000, not '%s'",
					   arg);
	case KEY_EVERY:
		return sim_parse_u32(arg, &o->every) && o->every
			       ? 0
			       : sim_usage("--every needs a number from 1 to 1000000, not '%s'",
					   arg);
	case ARGP_KEY_END:
		return o->common.is_update && o->every > 1
			       ? sim_usage("--update must walk at every boundary; drop --every")
			       : 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "CASE|DIR...",
	.children = (const struct argp_child[]){ { &sim_options_argp, 0, NULL, 0 }, { 0 } },
	.doc = "Execute each case, stop at every instruction, unwind at that stop, and compare "
	       "the frames with the executed calls and returns.\v"
	       "CASE is a file, stack:NAME or stack:all (the bundled stacks); duplicates are run "
	       "once. A stop is called a boundary. A hand-laid case has one boundary, and must "
	       "also end with its expected status. --fail-under is the required percentage of a "
	       "case's boundaries at which the walk is exact. If there is a file CASE.misses "
	       "beside a case, it lists known misses, and the case also passes if it has no other "
	       "misses; --update writes the file. The kernel engine maps the whole case for each "
	       "walk, so it walks at only one boundary in 997, and the column 'boundaries' counts "
	       "only the walked boundaries. 'sweep' queries a plugin once for each pc. In GitHub "
	       "Actions, each failed case becomes an annotation.\n"
	       "Exit status: 0 every case is as exact as --fail-under requires, 1 a case is "
	       "less exact or could not be run, 2 usage, 3 an engine cannot run on this machine "
	       "(the other engines have run).",
};

/*
 * Applies the list of known misses: reports misses that are not in the list and obsolete entries,
 * or rewrites the list.
 */
static int use_list(const struct sweep *s, const char *path, struct report_case *rc,
		    struct sweep_result *result)
{
	bool is_update = s->o->common.is_update;
	int err;

	if (sim_is_bundled(path))
		return is_update ? sim_fail(&rc->error, -EINVAL,
					    "a bundled stack has no file, so it can't have a list "
					    "of misses")
				 : 0;
	err = known_load(path, &rc->known, &rc->error);
	if (!err && rc->known)
		rc->n_new = known_apply(rc->known, rc->c, result);
	else if (!err)
		rc->n_new = result->n_misses;
	if (!err && is_update)
		err = known_update(rc->known, path, rc->c, result, &rc->error);
	rc->is_updated = !err && is_update;
	return err;
}

static bool passes(const struct sweep *s, const struct report_case *rc)
{
	const struct sweep_result *r = rc->result;

	if (!r->boundaries)
		return false;
	return rc->is_updated || (rc->known && !rc->n_new) ||
	       sweep_percent(r->exact, r->boundaries) >= s->o->common.fail_under;
}

static int judge_engine(struct sweep *s, struct sim_session *session, struct sweep_result *result,
			struct report_case *rc)
{
	struct sweep_engine engine;
	int err = sweep_engine_init(session, s->o->every, &engine);

	if (!err)
		err = sweep_judge(rc->c, &engine.walker, result, &rc->error);
	sweep_engine_deinit(&engine);
	return err;
}

/* Judges the case in the engine, or with the plug-in; sets the result in @rc. */
static void judge(struct sweep *s, const char *path, struct sim_session *session,
		  struct sweep_result *result, struct report_case *rc)
{
	int err = session ? judge_engine(s, session, result, rc)
			  : plugin_each_pc(s->strangers.plugin, rc->c, s->o->every, NULL, result,
					   &rc->error);

	if (err == -EOPNOTSUPP) {
		rc->outcome = SIM_CANNOT_RUN;
		sim_sessions_cannot(&s->sessions, rc->engine, rc->name, rc->error.text);
	}
	if (!err && !sim_is_strange(&s->o->common))
		err = use_list(s, path, rc, result);
	if (err)
		return;
	rc->result = result;
	if (passes(s, rc))
		rc->outcome = SIM_PASSED;
}

/*
 * Loads and runs a case in an engine, or with the plug-in if @session is NULL, and reports the
 * result. The case is loaded again for each run, because it can't be executed twice.
 */
static int sweep_case(struct sweep *s, const char *path, const struct sim_arch *arch,
		      struct sim_session *session)
{
	struct sweep_result result = { 0 };
	struct sim_case *c = NULL;
	char safe[1024];
	struct report_case rc = { .name = term_escape(path, safe, sizeof(safe)),
				  .arch = arch->name,
				  .engine = session ? session->engine->name : "plugin",
				  .error = { "out of memory" },
				  .outcome = SIM_FAILED };
	int err = sim_case_load(path, arch, &c, &rc.error);

	if (err == -ENOTSUP)
		return 0;
	if (!err) {
		rc.name = c->name;
		rc.c = c;
		judge(s, path, session, &result, &rc);
	}
	err = report_case(&s->report, &rc);
	known_free(&rc.known);
	sweep_result_deinit(&result);
	sim_case_free(path, &c);
	return err;
}

static int sweep_path(void *ctx, const char *path, const struct sim_arch *arch)
{
	struct sweep *s = ctx;
	struct sim_session *const *sessions = sim_sessions_of(&s->sessions, arch);
	struct sim_session *foreign = s->strangers.foreign[arch == sim_archs[0] ? 0 : 1];
	int err = 0;

	if (s->strangers.plugin)
		return sweep_case(s, path, arch, NULL);
	if (s->o->common.is_foreign)
		return foreign ? sweep_case(s, path, arch, foreign) : 0;
	for (u32 e = 0; e < SIM_N_ENGINES && !err; e++)
		if (s->o->common.engines[e] && sessions[e])
			err = sweep_case(s, path, arch, sessions[e]);
	return err;
}

static int conclude(const struct sweep *s)
{
	const struct report *r = &s->report;

	if (r->n_failed) {
		cli_error("%u of %u cases were less than %g %% exact or could not be run",
			  r->n_failed, r->n_cases, s->o->common.fail_under);
		return CLI_FAILURE;
	}
	if (s->sessions.cannot[0]) {
		cli_error("%s", s->sessions.cannot);
		return CLI_CANNOT_RUN;
	}
	if (!r->n_cases && s->o->common.n_shards == 1) {
		cli_error("no case is for this architecture");
		return CLI_FAILURE;
	}
	return CLI_OK;
}

static int sweep_all(struct sweep *s)
{
	int err = sim_options_each(&s->o->common, sweep_path, s);

	if (err)
		cli_error("the run stopped before the last case: %s", strerror(-err));
	report_end(&s->report);
	return err ? CLI_FAILURE : CLI_OK;
}

static int sweep(const struct options *o)
{
	struct sweep s = { .o = o };
	int status = CLI_OK, end;

	if (sim_outputs_open("sweep", &o->common, &s.out))
		return CLI_FAILURE;
	s.report = (struct report){
		.out = &s.out,
		.n_shown = o->n_shown,
		.is_quiet = o->common.is_quiet,
	};
	if (sim_sessions_open(o->common.archs, o->common.engines, &s.sessions))
		status = CLI_FAILURE;
	if (!status)
		status = sim_strangers_open(&o->common, &s.sessions, &s.strangers);
	if (!status)
		status = sweep_all(&s);
	end = sim_outputs_close(&s.out, !status);
	if (sim_strangers_close(&s.strangers) || end)
		status = CLI_FAILURE;
	sim_sessions_close(&s.sessions);
	return status ? status : conclude(&s);
}

int cmd_sweep(int argc, char **argv)
{
	struct options o = { .n_shown = 3 };
	int status;

	sim_options_init(&o.common);
	status = sim_parse(&argp, argc, argv, &o);
	if (!status)
		status = sweep(&o);
	sim_options_deinit(&o.common);
	return status;
}
