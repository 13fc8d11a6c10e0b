// SPDX-License-Identifier: BSD-2-Clause

/* `unspool-sim sweep`: every case, every instruction, against the truth. */

#include "../inspect/util/cleanup.h"
#include "cases.h"
#include "cli.h"
#include "commands.h"
#include "sweep/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_ARCHS 2

struct options {
	const char *arch; /* NULL: all */
	const char *engine;
	const char *json, *junit;
	u32 shard, n_shards;
	u32 n_shown;
	double fail_under;
	struct sim_paths paths;
};

enum { KEY_ARCH = 256, KEY_ENGINE, KEY_JSON, KEY_JUNIT, KEY_SHARD, KEY_FAIL_UNDER, KEY_UPDATE };

static const struct argp_option argp_options[] = {
	{ "arch", KEY_ARCH, "ARCH", 0, "x86_64, arm64 or all (default)", 0 },
	{ "engine", KEY_ENGINE, "ENGINE", 0, "native (default) or all", 0 },
	{ "json", KEY_JSON, "FILE", 0, "Write JSON lines, every miss included; - is stdout", 0 },
	{ "junit", KEY_JUNIT, "FILE", 0, "Write JUnit's XML", 0 },
	{ "shard", KEY_SHARD, "I/N", 0, "Only part I of N, I from 1", 0 },
	{ "fail-under", KEY_FAIL_UNDER, "PCT", 0,
	  "A case fails when less of its boundaries is exact (default 100)", 0 },
	{ "misses", 'm', "N", 0, "Show that many misses a case in the table (default 3)", 0 },
	{ "update", KEY_UPDATE, NULL, 0,
	  "For 'run', whose cases have expectations to update; a sweep's truth is executed, so "
	  "there is nothing to update: refused",
	  0 },
	{ 0 },
};

static int parse_number(const char *text, const char **end, u32 *out)
{
	unsigned long n;
	char *stop;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	n = strtoul(text, &stop, 10);
	if (errno || n > 1000000)
		return -EINVAL;
	*end = stop;
	*out = (u32)n;
	return 0;
}

static int parse_shard(const char *text, struct options *o)
{
	const char *p = text;
	u32 i, n;

	if (parse_number(p, &p, &i) || *p++ != '/' || parse_number(p, &p, &n) || *p || !i || i > n)
		return sim_usage("--shard is I/N with I from 1 to N, not '%s'", text);
	o->shard = i - 1;
	o->n_shards = n;
	return 0;
}

static int parse_percent(const char *text, double *out)
{
	char *end;
	double pct = strtod(text, &end);

	if (end == text || *end || !(pct >= 0 && pct <= 100))
		return sim_usage("--fail-under is a percentage from 0 to 100, not '%s'", text);
	*out = pct;
	return 0;
}

static int parse_word(const char *option, const char *text, const char *const *words,
		      const char **out)
{
	for (u32 i = 0; words[i]; i++) {
		if (!strcmp(text, words[i])) {
			*out = words[i];
			return 0;
		}
	}
	return sim_usage("--%s doesn't know '%s'; --help lists what it knows", option, text);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	static const char *const archs[] = { "x86_64", "arm64", "all", NULL };
	static const char *const engines[] = { "native", "guest", "kernel", "all", NULL };
	struct options *o = state->input;
	struct sim_error error;
	const char *end;

	switch (key) {
	case KEY_ARCH:
		return parse_word("arch", arg, archs, &o->arch);
	case KEY_ENGINE:
		return parse_word("engine", arg, engines, &o->engine);
	case KEY_JSON:
		o->json = arg;
		return 0;
	case KEY_JUNIT:
		o->junit = arg;
		return 0;
	case KEY_SHARD:
		return parse_shard(arg, o);
	case KEY_FAIL_UNDER:
		return parse_percent(arg, &o->fail_under);
	case KEY_UPDATE:
		return sim_usage("sweep keeps no expectations, so there is nothing to --update");
	case 'm':
		if (parse_number(arg, &end, &o->n_shown) || *end)
			return sim_usage("--misses is a number up to 1000000, not '%s'", arg);
		return 0;
	case ARGP_KEY_ARG:
		return sim_paths_add(&o->paths, arg, &error) ? sim_usage("%s", error.text) : 0;
	case ARGP_KEY_END:
		return o->paths.n ? 0 : sim_usage("which cases? unspool-sim sweep CASE|DIR...");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "CASE|DIR...",
	.doc = "Execute each case, stop at every instruction, unwind there, and compare the frames "
	       "with the calls that were really made.\v"
	       "In GitHub Actions each failed case becomes an annotation.\n"
	       "Exit status: 0 every case is as exact as --fail-under wants, 1 one is not or could "
	       "not be run, 2 usage, 3 an engine cannot run here.",
};

/* Loads, runs and reports one case for one architecture; nothing when it says nothing of it. */
static int sweep_case(const char *path, const struct sim_arch *arch, const struct options *o,
		      struct report *report)
{
	const struct sim_case_kind *kind = sim_case_kind_of(path);
	struct sweep_result result = { 0 };
	struct sim_error error = { "out of memory" };
	struct sim_case *c = NULL;
	struct report_case rc = { path, NULL, arch->name, "native", &result, error.text, true };
	int err = kind->load(path, arch, &c, &error);

	if (err == -ENOTSUP)
		return 0;
	if (!err) {
		rc.name = c->name;
		rc.c = c;
		err = sweep_judge(c, NULL, &result, &error);
	}
	if (err)
		rc.result = NULL;
	else
		rc.failed = sweep_percent(result.exact, result.boundaries) < o->fail_under ||
			    !result.boundaries;
	err = report_case(report, &rc);
	sweep_result_deinit(&result);
	kind->free(&c);
	return err;
}

static int sweep_all(const struct options *o, struct report *report)
{
	static const struct sim_arch *const archs[N_ARCHS] = { &sim_arch_x86_64, &sim_arch_arm64 };
	int err = 0;

	for (u32 i = 0; i < o->paths.n && !err; i++) {
		if (i % o->n_shards != o->shard)
			continue;
		for (u32 a = 0; a < N_ARCHS && !err; a++)
			if (!strcmp(o->arch, "all") || !strcmp(o->arch, archs[a]->name))
				err = sweep_case(o->paths.at[i], archs[a], o, report);
	}
	return err;
}

static FILE *open_output(const char *path)
{
	FILE *f;

	if (!strcmp(path, "-"))
		return stdout;
	f = fopen(path, "we");
	if (!f)
		sim_complain("%s: %s", path, strerror(errno));
	return f;
}

static int run(const struct options *o, FILE *json, FILE *junit)
{
	const char *actions = getenv("GITHUB_ACTIONS");
	struct report report = {
		.table = json == stdout || junit == stdout ? NULL : stdout,
		.json = json,
		.junit = junit,
		.n_shown = o->n_shown,
	};
	int err, end;

	report.github = actions && *actions ? (report.table ? stdout : stderr) : NULL;
	err = sweep_all(o, &report);
	end = report_end(&report);
	err = err ? err : end;
	if (err) {
		sim_complain("can't write the report: %s", strerror(-err));
		return SIM_EXIT_FAILURE;
	}
	if (!report.n_cases && o->n_shards == 1) {
		sim_complain("none of these cases is for %s", o->arch);
		return SIM_EXIT_FAILURE;
	}
	if (report.n_failed)
		sim_complain("%u of %u cases are less than %g %% exact or could not be run",
			     report.n_failed, report.n_cases, o->fail_under);
	return report.n_failed ? SIM_EXIT_FAILURE : SIM_EXIT_OK;
}

static int sweep(const struct options *o)
{
	_cleanup_fclose_ FILE *json = NULL, *junit = NULL;
	int status;

	if (strcmp(o->engine, "native") != 0 && strcmp(o->engine, "all") != 0) {
		sim_complain("the engine '%s' is not in this build", o->engine);
		return SIM_EXIT_CANNOT_RUN;
	}
	if (o->json && !(json = open_output(o->json)))
		return SIM_EXIT_FAILURE;
	if (o->junit && !(junit = open_output(o->junit)))
		return SIM_EXIT_FAILURE;
	status = run(o, json, junit);
	if (status || strcmp(o->engine, "all") != 0)
		return status;
	sim_complain("the engines 'guest' and 'kernel' are not in this build");
	return SIM_EXIT_CANNOT_RUN;
}

int cmd_sweep(int argc, char **argv)
{
	struct options o = {
		.arch = "all",
		.engine = "native",
		.n_shards = 1,
		.n_shown = 3,
		.fail_under = 100,
	};
	int status = sim_parse(&argp, argc, argv, &o);

	if (!status)
		status = sweep(&o);
	sim_paths_deinit(&o.paths);
	return status;
}
