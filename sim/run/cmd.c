// SPDX-License-Identifier: BSD-2-Clause

/*
 * `unspool-sim run`: cases in engines. Exit status: 0 every walk found its truth
 * and engines agree; 1 one did not, or a case is broken; 2 usage; 3 an engine, or a
 * case in it, cannot run here (what could run, has run).
 */

#include "../../inspect/util/cleanup.h"
#include "../cases.h"
#include "../commands.h"
#include "run.h"

#include <argp.h>
#include <errno.h>
#include <string.h>

#define STACK_PREFIX "stack:"

enum { EXIT_WRONG = 1, EXIT_USAGE, EXIT_CANNOT };

struct run_options {
	bool archs[SIM_N_ARCHS], engines[SIM_N_ENGINES];
	bool is_quiet;
	const char *json;
	char **cases;
	int n_cases;
};

static const struct argp_option options[] = {
	{ "arch", 'A', "ARCH", 0, "x86_64, arm64 or all (default)", 0 },
	{ "engine", 'e', "ENGINE", 0, "native (default), guest, kernel or all", 0 },
	{ "json", 'j', "FILE", 0, "write each walk as a line of JSON", 0 },
	{ "quiet", 'q', NULL, 0, "print only what is wrong, and the sum", 0 },
	{ 0 },
};

/* Sets those of @n flags whose name is @word, or all. */
static bool choose(const char *word, bool *flags, u32 n, const char *(*name_of)(u32 idx))
{
	bool found = false;

	for (u32 i = 0; i < n; i++) {
		flags[i] = strcmp(word, "all") == 0 || strcmp(word, name_of(i)) == 0;
		found |= flags[i];
	}
	return found;
}

static const char *arch_name(u32 idx)
{
	return sim_archs[idx]->name;
}

static const char *engine_name(u32 idx)
{
	return sim_engines[idx]->name;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;

	switch (key) {
	case 'A':
		if (!choose(arg, o->archs, SIM_N_ARCHS, arch_name))
			argp_error(state, "no architecture is called '%s', only x86_64, arm64, all",
				   arg);
		return 0;
	case 'e':
		if (!choose(arg, o->engines, SIM_N_ENGINES, engine_name))
			argp_error(state,
				   "no engine is called '%s', only native, guest, kernel, all",
				   arg);
		return 0;
	case 'j':
		o->json = arg;
		return 0;
	case 'q':
		o->is_quiet = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->cases = state->argv + state->next;
		o->n_cases = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which cases? " STACK_PREFIX "all are the bundled ones");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "CASE|DIR...",
	.doc = "Walk cases in engines and compare what is found with the truth, and what is "
	       "found and read with the native engine, byte for byte.\v"
	       "CASE is a file, or " STACK_PREFIX "NAME or " STACK_PREFIX
	       "all, the bundled stacks. An executed case is "
	       "walked at each of its instructions, by the kernel engine at some of them.",
};

static int run_bundled(struct sim_runner *r, const struct run_options *o, const char *name)
{
	u32 n = 0;
	int err = 0;

	for (u32 a = 0; a < SIM_N_ARCHS && !err; a++)
		if (o->archs[a])
			err = sim_bundled_each(name, sim_archs[a], sim_run_case, r, &n);
	if (err || n)
		return err;
	fprintf(stderr, "unspool-sim: " STACK_PREFIX "%s: no bundled stack has this name\n", name);
	return EXIT_USAGE;
}

/* A case that is broken is reported, and the others run. */
static int run_path(struct sim_runner *r, const char *path, const struct sim_arch *arch)
{
	const struct sim_case_kind *kind = sim_case_kind_of(path);
	struct sim_error error = { "out of memory" };
	struct sim_case *c = NULL;
	int err = kind->load(path, arch, &c, &error);

	if (err == -ENOTSUP)
		return 0;
	if (err) {
		fprintf(stderr, "unspool-sim: %s\n", error.text);
		r->n_wrong++;
		return 0;
	}
	err = sim_run_case(r, c);
	kind->free(&c);
	return err;
}

/* One word of the command line. 0, a negative errno, or EXIT_USAGE. */
static int run_word(struct sim_runner *r, const struct run_options *o, const char *word)
{
	size_t prefix_len = strlen(STACK_PREFIX);
	struct sim_paths paths = { 0 };
	struct sim_error error;
	int err;

	if (strncmp(word, STACK_PREFIX, prefix_len) == 0)
		return run_bundled(r, o, word + prefix_len);
	err = sim_paths_add(&paths, word, &error);
	if (err) {
		fprintf(stderr, "unspool-sim: %s\n", error.text);
		err = EXIT_USAGE;
	}
	for (u32 i = 0; i < paths.n && !err; i++)
		for (u32 a = 0; a < SIM_N_ARCHS && !err; a++)
			if (o->archs[a])
				err = run_path(r, paths.at[i], sim_archs[a]);
	sim_paths_deinit(&paths);
	return err;
}

static int run_words(struct sim_runner *r, const struct run_options *o)
{
	int err = 0;

	for (u32 a = 0; a < SIM_N_ARCHS && !err; a++)
		if (o->archs[a])
			err = sim_runner_open(r, sim_archs[a]);
	for (int i = 0; i < o->n_cases && !err; i++)
		err = run_word(r, o, o->cases[i]);
	return err;
}

static int conclude(const struct sim_runner *r)
{
	printf("%llu cases, %llu walks: %llu wrong, %llu of %llu compared bytes differ\n",
	       r->n_cases, r->n_walks, r->n_wrong, r->n_differing, r->n_compared);
	if (fflush(stdout)) {
		fprintf(stderr, "unspool-sim: standard output: %s\n", strerror(errno));
		return EXIT_WRONG;
	}
	if (r->cannot[0])
		fprintf(stderr, "unspool-sim: %s\n", r->cannot);
	if (r->n_wrong)
		return EXIT_WRONG;
	return r->cannot[0] ? EXIT_CANNOT : 0;
}

static int run(const struct run_options *o)
{
	_cleanup_fclose_ FILE *json = o->json ? fopen(o->json, "we") : NULL;
	struct sim_runner r;
	int err, status;

	if (o->json && !json) {
		fprintf(stderr, "unspool-sim: %s: %s\n", o->json, strerror(errno));
		return EXIT_WRONG;
	}
	err = sim_runner_init(&r);
	if (err)
		return EXIT_WRONG;
	memcpy(r.is_wanted, o->engines, sizeof(r.is_wanted));
	r.is_quiet = o->is_quiet;
	r.json = json;
	err = run_words(&r, o);
	if (err < 0)
		fprintf(stderr, "unspool-sim: not all cases were run: %s\n", strerror(-err));
	status = err == EXIT_USAGE ? EXIT_USAGE : err ? EXIT_WRONG : conclude(&r);
	if (json && fflush(json) && !status) {
		fprintf(stderr, "unspool-sim: %s: %s\n", o->json, strerror(errno));
		status = EXIT_WRONG;
	}
	sim_runner_deinit(&r);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct run_options o = { .archs = { true, true }, .engines = { true } };

	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return EXIT_USAGE;
	return run(&o);
}
