// SPDX-License-Identifier: BSD-2-Clause

/* `unspool-sim show`: prints cases as text, in a format that depends on the kind of the case. */

#include "../case/cases.h"
#include "../case/jitdump.h"
#include "cli.h"
#include "commands.h"
#include "../../inspect/util/whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct options {
	const char *arch;
	const char *jitdump;
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
			return sim_usage("--arch: unknown value '%s'; use x86_64, arm64 or all",
					 arg);
		o->arch = arg;
		return 0;
	case 'J':
		o->jitdump = arg;
		return 0;
	case ARGP_KEY_ARG:
		err = sim_paths_add(&o->paths, arg, &error);
		return err ? sim_refuse(err, error.text) : 0;
	case ARGP_KEY_END:
		if (o->jitdump && o->paths.n > 1)
			return sim_usage("--jitdump needs exactly one case");
		return o->paths.n ? 0 : sim_usage("no case given; use unspool-sim show CASE...");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option argp_options[] = {
	{ "arch", 'A', "ARCH", 0, "For a text fixture: x86_64, arm64 or all (default)", 0 },
	{ "jitdump", 'J', "OUT", 0,
	  "Write the code of the case to OUT as a jitdump, for one --arch", 0 },
	{ 0 },
};

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "CASE|DIR...",
	.doc = "For a text fixture, print the case that it makes on each architecture. For a "
	       "recorded "
	       "case, print its note as JSON. For a jitdump (.dump), disassemble its code.\v"
	       "Exit status: 0 done, 1 a case is broken, 2 usage.",
};

static int show(const char *path, const char *arch)
{
	const struct sim_case_kind *kind = sim_case_kind_of(path);
	struct sim_error error = { "out of memory" };

	if (!kind->show) {
		cli_error("%s: programs can't be shown; use objdump -d", path);
		return CLI_FAILURE;
	}
	if (!kind->show(path, arch, &error))
		return CLI_OK;
	cli_error("%s", error.text);
	return CLI_FAILURE;
}

/*
 * Loads the case for @arch. If no architecture was chosen, loads it for the only one that the case
 * supports.
 */
static int load_one(const char *path, const char *arch, struct sim_case **out,
		    struct sim_error *error)
{
	int err = sim_fail(error, -ENOTSUP, "%s: the case is not for this architecture", path);
	struct sim_case *found = NULL, *c;

	for (u32 i = 0; i < SIM_N_ARCHS; i++) {
		if (strcmp(arch, "all") && strcmp(arch, sim_archs[i]->name))
			continue;
		err = sim_case_load(path, sim_archs[i], &c, error);
		if (err && err != -ENOTSUP)
			break;
		if (!err && found) {
			sim_case_free(path, &c);
			err = sim_fail(error, -EINVAL,
				       "%s: the case is for both architectures; use --arch x86_64 "
				       "or arm64",
				       path);
			break;
		}
		if (!err)
			found = c;
	}
	if (found && (!err || err == -ENOTSUP)) {
		*out = found;
		return 0;
	}
	if (found)
		sim_case_free(path, &found);
	return err;
}

static int export(const struct options *o)
{
	struct sim_error error = { "out of memory" };
	struct sim_case *c = NULL;
	struct whole_file file = { 0 };
	u32 n_missing = 0;
	int err = load_one(o->paths.at[0], o->arch, &c, &error);

	if (err) {
		cli_error("%s", error.text);
		return CLI_FAILURE;
	}
	err = whole_file_open(o->jitdump, false, &file);
	if (!err)
		err = sim_jitdump_write(c, file.f, &n_missing);
	err = whole_file_close(&file, !err) ?: err;
	if (err)
		cli_error("%s: %s", o->jitdump,
			  err == -ENODATA ? "the case contains no function's code"
					  : strerror(-err));
	else if (n_missing)
		cli_error("%u of %u functions have no recorded code", n_missing, c->n_functions);
	sim_case_free(o->paths.at[0], &c);
	return err ? CLI_FAILURE : CLI_OK;
}

int cmd_show(int argc, char **argv)
{
	struct options o = { .arch = "all" };
	int status = sim_parse(&argp, argc, argv, &o);
	u32 n = status ? 0 : o.paths.n;

	if (n && o.jitdump) {
		status = export(&o);
		n = 0;
	}
	for (u32 i = 0; i < n; i++)
		if (show(o.paths.at[i], o.arch))
			status = CLI_FAILURE;
	sim_paths_deinit(&o.paths);
	return status;
}
