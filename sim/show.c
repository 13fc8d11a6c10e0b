// SPDX-License-Identifier: BSD-2-Clause

/* `unspool-sim show`: cases in words; each kind of case knows its own. */

#include "cases.h"
#include "cli.h"
#include "commands.h"

#include <stdio.h>
#include <string.h>

struct options {
	const char *arch;
	struct sim_paths paths;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct sim_error error;
	int err;

	switch (key) {
	case 'A':
		if (strcmp(arg, "all") && strcmp(arg, "x86_64") && strcmp(arg, "arm64"))
			return sim_usage("no architecture is called '%s', only x86_64, arm64, all",
					 arg);
		o->arch = arg;
		return 0;
	case ARGP_KEY_ARG:
		err = sim_paths_add(&o->paths, arg, &error);
		return err ? sim_refuse(err, error.text) : 0;
	case ARGP_KEY_END:
		return o->paths.n ? 0 : sim_usage("which cases? unspool-sim show CASE...");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option argp_options[] = {
	{ "arch", 'A', "ARCH", 0, "x86_64, arm64 or all (default), of a fixture of text", 0 },
	{ 0 },
};

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "CASE|DIR...",
	.doc = "Of a fixture of text: what it becomes on each architecture. Of a recorded case: "
	       "its "
	       "note, as JSON.\v"
	       "Exit status: 0 done, 1 a case is broken, 2 usage.",
};

static int show(const char *path, const char *arch)
{
	const struct sim_case_kind *kind = sim_case_kind_of(path);
	struct sim_error error = { "out of memory" };

	if (!kind->show) {
		sim_complain("%s: there is nothing to show of programs; objdump -d does it", path);
		return SIM_EXIT_FAILURE;
	}
	if (!kind->show(path, arch, &error))
		return SIM_EXIT_OK;
	sim_complain("%s", error.text);
	return SIM_EXIT_FAILURE;
}

int cmd_show(int argc, char **argv)
{
	struct options o = { .arch = "all" };
	int status = sim_parse(&argp, argc, argv, &o);
	u32 n = status ? 0 : o.paths.n;

	for (u32 i = 0; i < n; i++)
		if (show(o.paths.at[i], o.arch))
			status = SIM_EXIT_FAILURE;
	sim_paths_deinit(&o.paths);
	return status;
}
