/* SPDX-License-Identifier: BSD-2-Clause */

/* `unspool report`: what a profile holds. */

#include <errno.h>
#include <locale.h>
#include <string.h>

#include "../inspect/util/cleanup.h"
#include "../inspect/util/cli_fields.h"
#include "commands.h"
#include "report/report.h"

struct report_options {
	const char *file;
	bool is_json;
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print every stack as a JSON line, for jq", 1 },
	{ 0 },
};

static const struct cli_field fields[] = {
	{ 'j', offsetof(struct report_options, is_json), cli_set_flag, NULL },
	{ ARGP_KEY_ARG, offsetof(struct report_options, file), cli_set_text,
	  "which profile? unspool report FILE" },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.args_doc = "FILE",
	.doc = "Say where the time of a recording went. FILE is a profile (.ndjson, plain or "
	       "compressed), the .partial of a recording that runs or was killed, or - for "
	       "standard input.\v"
	       "Exit status: 0 done, 1 FILE is broken, can't be read, or holds no sample.",
};

int cmd_report(int argc, char **argv)
{
	_cleanup_(prof_reader_free) struct prof_reader *in = NULL;
	struct report_options o = { 0 };
	int status = cli_set_fields(&argp, fields, argc, argv, &o), r;

	if (status >= 0)
		return status;
	setlocale(LC_CTYPE, "");
	r = prof_reader_open(o.file, &in);
	if (r == 0)
		r = o.is_json ? report_print_stacks(stdout, in) : report_print(stdout, in, 0);
	if (r == 0)
		return CLI_OK;
	fflush(stdout);
	if (r == -ENODATA)
		cli_error("%s holds no sample", o.file);
	else if (in && prof_reader_error(in)[0])
		cli_error("%s", prof_reader_error(in));
	else if (in)
		cli_error("can't print the report: %s", strerror(-r));
	else
		cli_error("can't read %s: %s", o.file, strerror(-r));
	return CLI_FAILURE;
}
