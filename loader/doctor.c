/* SPDX-License-Identifier: BSD-2-Clause */

/* `unspool doctor`: prints one line per finding, then the verdict. */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "../inspect/util/json_memory.h"
#include "../inspect/util/cli_fields.h"
#include "commands.h"
#include "doctor/doctor.h"

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print one JSON object per line", 1 },
	{ 0 },
};

static const struct cli_field fields[] = {
	{ 'j', 0, cli_set_flag, NULL },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.doc = "Check whether this machine can record, and print how to fix what is missing.\v"
	       "Exit status: 0 recording works, 3 recording doesn't work.",
};

static int print_text(const struct doctor_finding *d)
{
	printf("%-7s  %-16s %s%s%s\n", doctor_state_name(d->state), d->check, d->text,
	       d->mend[0] ? "  -> " : "", d->mend);
	return 0;
}

static int print_json(const struct doctor_finding *d)
{
	return json_memory_line(json_pack("{ss ss ss ss}", "check", d->check, "state",
					  doctor_state_name(d->state), "text", d->text, "mend",
					  d->mend),
				JSON_COMPACT, stdout);
}

int cmd_doctor(int argc, char **argv)
{
	const struct doctor_finding *missing;
	struct doctor_report r;
	bool is_json = false;
	int status = cli_set_fields(&argp, fields, argc, argv, &is_json);

	if (status != CLI_CONTINUE)
		return status;
	doctor_examine(&r);
	for (size_t i = 0; i < r.n; i++)
		if ((is_json ? print_json : print_text)(&r.findings[i])) {
			cli_error("out of memory");
			return CLI_FAILURE;
		}
	missing = doctor_first_missing(&r);
	if (missing) {
		fflush(stdout);
		cli_error("recording doesn't work here: %s: %s%s%s", missing->check, missing->text,
			  missing->mend[0] ? "; fix: " : "", missing->mend);
		return CLI_CANNOT_RUN;
	}
	if (!is_json)
		puts("Recording works here.");
	return CLI_OK;
}
