// SPDX-License-Identifier: BSD-2-Clause

/* `unspool-sim run`: walks cases in engines. */

#include "../cmd/cli.h"
#include "../cmd/commands.h"
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct sim_options *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		return 0;
	case ARGP_KEY_END:
		return o->is_update && !(o->archs[0] && o->archs[1])
			       ? sim_usage(
					 "--update always updates both architectures; drop --arch")
			       : 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = "CASE|DIR...",
	.children = (const struct argp_child[]){ { &sim_options_argp, 0, NULL, 0 }, { 0 } },
	.doc = "Walk cases in engines. Compare the frames with the truth, and the frames and "
	       "reads with those of the native engine, byte for byte.\v"
	       "CASE is a file, stack:NAME or stack:all (the bundled stacks); duplicates are run "
	       "once.\n"
	       "'run' walks a hand-laid case once, and the walk must find the expected frames. "
	       "'run' walks an executed case at the first arrival at each instruction; the kernel "
	       "engine walks at only one in 64 of these instructions. An executed case passes if "
	       "every walk "
	       "equals the native walk in every byte, and if at least one walk finds all frames of "
	       "the deepest call stack outside of frameless code. The result states at how many "
	       "instructions the walk is exact, but only 'unspool-sim sweep' fails if this number "
	       "is too low. A plugin passes if "
	       "none of its answers is wrong.\n"
	       "--update replaces the expected frames of a hand-laid fixture or recorded case by "
	       "those of the native walk. --fail-under is the percentage of pairs of a case and an "
	       "engine that must pass.\n"
	       "Exit status: 0 as many pairs pass as --fail-under requires, 1 fewer pass or a case "
	       "is broken, 2 usage, 3 an engine cannot run on this machine, or cannot walk a case "
	       "(the other engines have run).",
};

/* Updates a fixture once, for both architectures; then the case is run like any other case. */
static int update(struct sim_runner *r, const char *path, const struct sim_arch *arch)
{
	struct sim_error error = { "out of memory" };
	size_t len = strlen(path);
	int err;

	if (arch != sim_archs[0])
		return 0;
	if (strstr(path, ".core"))
		err = sim_run_update_recorded(r, path, &error);
	else if (len < 5 || strcmp(path + len - 5, ".yaml") != 0)
		err = sim_fail(&error, -EINVAL,
			       "%s: --update needs a text fixture or a recorded case", path);
	else
		err = sim_run_update(r, path, &error);
	return err ? sim_run_broken(r, path, arch, error.text) : 0;
}

static int run_path(void *ctx, const char *path, const struct sim_arch *arch)
{
	struct sim_error error = { "out of memory" };
	struct sim_case *c = NULL;
	struct sim_runner *r = ctx;
	int err = r->options->is_update ? update(r, path, arch) : 0;

	if (err)
		return err;
	err = sim_case_load(path, arch, &c, &error);
	if (err == -ENOTSUP)
		return 0;
	if (err)
		return sim_run_broken(r, path, arch, error.text);
	err = r->strangers.plugin ? sim_run_plugin(r, c) : sim_run_case(r, c);
	sim_case_free(path, &c);
	return err;
}

static int conclude(const struct sim_runner *r)
{
	u64 n_right = r->n_results - r->n_wrong;
	double pct = r->n_results ? 100.0 * (double)n_right / (double)r->n_results : 100;

	if (r->sessions.cannot[0])
		cli_error("%s", r->sessions.cannot);
	if (r->n_broken || pct < r->options->fail_under)
		return CLI_FAILURE;
	if (r->sessions.cannot[0])
		return CLI_CANNOT_RUN;
	if (!r->n_cases && r->options->n_shards == 1) {
		cli_error("no case is for this architecture");
		return CLI_FAILURE;
	}
	return CLI_OK;
}

static int run_all(struct sim_runner *r)
{
	int err = sim_options_each(r->options, run_path, r);

	if (err)
		cli_error("the run stopped before the last case: %s", strerror(-err));
	fprintf(r->out.people,
		"%llu cases, %llu walks: %llu wrong, %llu of %llu compared bytes differ\n",
		r->n_cases, r->n_walks, r->n_wrong + r->n_broken, r->n_differing, r->n_compared);
	return err ? CLI_FAILURE : CLI_OK;
}

static int open_all(struct sim_runner *r)
{
	const struct sim_options *o = r->options;

	r->native = calloc(1, sizeof(*r->native));
	r->other = calloc(1, sizeof(*r->other));
	if (!r->native || !r->other) {
		cli_error("out of memory");
		return CLI_FAILURE;
	}
	if (sim_sessions_open(o->archs, o->engines, &r->sessions))
		return CLI_FAILURE;
	return sim_strangers_open(o, &r->sessions, &r->strangers);
}

static int run(const struct sim_options *o)
{
	struct sim_runner r = { .options = o };
	int status, end;

	if (o->is_foreign) {
		cli_error("the engine 'foreign' works only with 'unspool-sim sweep'");
		return CLI_USAGE;
	}
	if (sim_outputs_open("run", o, &r.out))
		return CLI_FAILURE;
	status = open_all(&r);
	if (!status)
		status = run_all(&r);
	end = sim_outputs_close(&r.out, !status);
	if (sim_strangers_close(&r.strangers) || end)
		status = CLI_FAILURE;
	sim_sessions_close(&r.sessions);
	free(r.native);
	free(r.other);
	return status ? status : conclude(&r);
}

int cmd_run(int argc, char **argv)
{
	struct sim_options o;
	int status;

	sim_options_init(&o);
	status = sim_parse(&argp, argc, argv, &o);
	if (!status)
		status = run(&o);
	sim_options_deinit(&o);
	return status;
}
