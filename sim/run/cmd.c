// SPDX-License-Identifier: BSD-2-Clause

/*
 * `unspool-sim run`: cases in engines. Exit status: 0 every walk found its truth
 * and engines agree; 1 one did not, or a case is broken; 2 usage; 3 an engine, or a
 * case in it, cannot run here (what could run, has run).
 */

#include "run.h"

#include "../../inspect/util/cleanup.h"

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
	.args_doc = "CASE...",
	.doc = "Walk cases in engines and compare what is found with the truth, and what is "
	       "found and read with the native engine, byte for byte.\v"
	       "CASE is " STACK_PREFIX "NAME or " STACK_PREFIX "all, the bundled stacks.",
};

/* One word of the command line. 0, a negative errno, or EXIT_USAGE. */
static int run_word(struct sim_runner *r, const struct run_options *o, const char *word)
{
	size_t prefix_len = strlen(STACK_PREFIX);
	u32 n = 0;
	int err = 0;

	if (strncmp(word, STACK_PREFIX, prefix_len) != 0) {
		fprintf(stderr, "unspool-sim: %s: no kind of case that is known\n", word);
		return EXIT_USAGE;
	}
	for (u32 a = 0; a < SIM_N_ARCHS && !err; a++)
		if (o->archs[a])
			err = sim_bundled_each(word + prefix_len, sim_archs[a], sim_run_case, r,
					       &n);
	if (!err && !n) {
		fprintf(stderr, "unspool-sim: %s: no bundled stack has this name\n", word);
		return EXIT_USAGE;
	}
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
