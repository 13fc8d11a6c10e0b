// SPDX-License-Identifier: BSD-2-Clause

/* `unspool jitdump check`: prints one line per finding. */

#include "jitdump.h"

#include <stdio.h>
#include <string.h>

#include "../../inspect/jitdump/jd_check.h"
#include "../../inspect/util/cleanup.h"
#include "../profile/json_line.h"

/* Limit of printed findings per rule, because one bug usually causes all of them. */
#define MAX_SAME 20

struct check_run {
	const char *file;
	bool is_json, with_all, is_quiet;
	struct json_line line;
	u64 n[JD_N_RULES];
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "Print one JSON line per finding, for jq", 1 },
	{ "all", 'a', NULL, 0, "Print all findings of each rule, not only the first 20", 1 },
	{ "quiet", 'q', NULL, 0, "Print nothing; only set the exit status", 1 },
	{ 0 },
};

static const char *const severities[] = {
	[JD_NOTE] = "note",
	[JD_WARNING] = "warning",
	[JD_ERROR] = "error",
};

static const struct cli_field fields[] = {
	{ 'j', offsetof(struct check_run, is_json), cli_set_flag, NULL },
	{ 'a', offsetof(struct check_run, with_all), cli_set_flag, NULL },
	{ 'q', offsetof(struct check_run, is_quiet), cli_set_flag, NULL },
	{ ARGP_KEY_ARG, offsetof(struct check_run, file), cli_set_text,
	  "missing argument; use unspool jitdump check FILE" },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.args_doc = "FILE",
	.doc = "Check the jitdump FILE and print one line per finding: offset, severity, rule, "
	       "problem, remedy.\v"
	       "Exit status: 0 no errors or warnings, 1 an error or warning, or FILE can't be "
	       "read.",
};

static void found(void *data, const struct jd_finding *f)
{
	const struct jd_rule_text *rule = &jd_rules[f->rule];
	struct check_run *run = data;

	if (run->n[f->rule]++ >= MAX_SAME && !run->with_all)
		return;
	if (run->is_quiet)
		return;
	if (!run->is_json) {
		printf("%llu: %s: %s: %s; %s\n", f->off, severities[rule->severity], rule->name,
		       jitdump_safe(f->text), rule->cure);
		return;
	}
	json_line_start(&run->line, "finding");
	json_line_u64(&run->line, "off", f->off);
	json_line_string(&run->line, "severity", severities[rule->severity]);
	json_line_string(&run->line, "rule", rule->name);
	json_line_string(&run->line, "text", f->text);
	json_line_string(&run->line, "cure", rule->cure);
	json_line_write(&run->line, stdout);
}

/*
 * Prints the number of omitted findings, and totals. Returns whether there are no errors or
 * warnings.
 */
static bool sum_up(const struct check_run *run, s64 n_records)
{
	u64 sums[3] = { 0 };

	for (int i = 0; i < JD_N_RULES; i++) {
		sums[jd_rules[i].severity] += run->n[i];
		if (run->n[i] > MAX_SAME && !run->with_all && !run->is_json && !run->is_quiet)
			printf("%s: %llu more findings; --all prints them\n", jd_rules[i].name,
			       run->n[i] - MAX_SAME);
	}
	if (!run->is_json && !run->is_quiet)
		printf("%lld records: %llu errors, %llu warnings, %llu notes\n", n_records,
		       sums[JD_ERROR], sums[JD_WARNING], sums[JD_NOTE]);
	return !sums[JD_ERROR] && !sums[JD_WARNING];
}

static void cleanup_run(struct check_run *run)
{
	json_line_deinit(&run->line);
}

int jitdump_check(int argc, char **argv)
{
	_cleanup_(cleanup_run) struct check_run run = { 0 };
	_cleanup_(jd_file_deinit) struct jd_file f = { 0 };
	int status = cli_set_fields(&argp, fields, argc, argv, &run);
	bool is_good;
	s64 n;

	if (status != CLI_CONTINUE)
		return status;
	status = jitdump_open(&f, run.file);
	if (status)
		return status;
	n = jd_check_file(&f,
			  &(struct jd_check){ .file_name = basename(run.file),
					      .is_unmapped = jitdump_is_unmapped(run.file, f.h.pid),
					      .now = jitdump_now(run.file),
					      .found = found,
					      .data = &run });
	if (n < 0) {
		cli_error("can't check %s: %s", run.file, strerror((int)-n));
		return CLI_FAILURE;
	}
	is_good = sum_up(&run, n);
	return jitdump_flush() || !is_good ? CLI_FAILURE : CLI_OK;
}
