// SPDX-License-Identifier: BSD-2-Clause

/* Implements `unspool flight dump` and `unspool flight export`. */

#include "flight.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/flight/fl_chrome.h"
#include "../../inspect/flight/fl_perfetto.h"
#include "../out/out.h"

struct options {
	u32 recorder;
	const char *file, *output;
};

static const struct argp_option dump_options[] = {
	{ "output", 'o', "FILE", 0, "Write the dump to FILE (default: unspool-flight-PID.fr)", 1 },
	FLIGHT_RECORDER_OPTION,
	{ 0 },
};
static const struct argp_option export_options[] = {
	{ "output", 'o', "OUT", 0,
	  "Output file: .json for speedscope, Perfetto and Chrome; .pftrace for Perfetto", 1 },
	{ 0 },
};

static error_t set_output(struct cli_parse *p, const char *arg, void *member)
{
	return *arg && strcmp(arg, "-") != 0
		       ? cli_set_text(p, arg, member)
		       : cli_fail(p, "-o needs a file name; stdout is not supported");
}

#define EXPORT_WHAT "missing arguments; use 'unspool flight export FILE.fr -o OUT.json'"

static const struct cli_field dump_fields[] = {
	{ FLIGHT_KEY_RECORDER, offsetof(struct options, recorder), flight_set_recorder, NULL },
	{ 'o', offsetof(struct options, output), set_output, NULL },
	{ 0 },
};
static const struct cli_field export_fields[] = {
	{ 'o', offsetof(struct options, output), set_output, EXPORT_WHAT },
	{ ARGP_KEY_ARG, offsetof(struct options, file), cli_set_text, EXPORT_WHAT },
	{ 0 },
};

static const struct argp dump_argp = {
	.options = dump_options,
	.doc = "Write the rings of a recording to a file. If the recorder is dead, the rings are "
	       "removed afterwards.",
};
static const struct argp export_argp = {
	.options = export_options,
	.args_doc = "FILE",
	.doc = "Convert a dump to a trace: one track per thread and one slice per walk. The name "
	       "of a slice is the status of its walk, and the slice contains the steps of that "
	       "walk.",
};

static int write_dump(void *data, FILE *to)
{
	struct fl_dump d;
	int err = rings_to_dump(data, &d);

	if (err)
		return err;
	err = fl_dump_write(&d, to);
	free(d.rings);
	return err;
}

int flight_dump(int argc, char **argv)
{
	struct options o = { 0 };
	int status = cli_set_fields(&dump_argp, dump_fields, argc, argv, &o), err;
	struct out_job job = { write_dump, NULL };
	struct pinned p;
	struct rings r;
	char path[64];

	if (status != CLI_CONTINUE)
		return status;
	status = flight_open(o.recorder, &p, &r);
	if (status)
		return status;
	snprintf(path, sizeof(path), "unspool-flight-%u.fr", p.pid);
	if (!o.output)
		o.output = path;
	job.data = &r;
	signal(SIGXFSZ, SIG_IGN);
	err = out_write(&job, o.output, OUT_OWNER_SELF);
	rings_unmap(&r);
	if (err) {
		cli_error("cannot write '%s': %s", o.output, strerror(-err));
		return CLI_FAILURE;
	}
	if (!p.is_alive)
		pinned_remove(&p);
	fprintf(stderr, "%s\n", o.output);
	return CLI_OK;
}

static int write_chrome(void *data, FILE *to)
{
	return fl_chrome_write(data, to);
}

static int write_perfetto(void *data, FILE *to)
{
	return fl_perfetto_write(data, to);
}

int flight_export(int argc, char **argv)
{
	struct options o = { 0 };
	int status = cli_set_fields(&export_argp, export_fields, argc, argv, &o), err;
	const char *suffix;
	struct out_job job;
	struct fl_dump d;

	if (status != CLI_CONTINUE)
		return status;
	suffix = strrchr(o.output, '.');
	if (!suffix || (strcmp(suffix, ".json") != 0 && strcmp(suffix, ".pftrace") != 0)) {
		cli_error("%s: unknown format; use .json or .pftrace", o.output);
		return CLI_USAGE;
	}
	status = flight_read_file(o.file, &d);
	if (status)
		return status;
	job = (struct out_job){ suffix[1] == 'j' ? write_chrome : write_perfetto, &d };
	signal(SIGXFSZ, SIG_IGN);
	err = out_write(&job, o.output, OUT_OWNER_SELF);
	if (!err && d.is_cut)
		fprintf(stderr,
			"%s: the dump is truncated; the trace contains the part before the dump's "
			"end\n",
			o.file);
	fl_dump_deinit(&d);
	if (!err)
		return CLI_OK;
	cli_error("cannot write '%s': %s", o.output, strerror(-err));
	return CLI_FAILURE;
}
