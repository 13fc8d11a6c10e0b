/* SPDX-License-Identifier: BSD-2-Clause */

/* `unspool diff`: compares two profiles. */

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../inspect/util/array.h"
#include "../inspect/util/cleanup.h"
#include "../inspect/util/cli_fields.h"
#include "commands.h"
#include "diff/print.h"
#include "report/report.h"
#include "sourcemap/map_dir.h"
#include "symbols/debug_dir.h"

#define N_ROWS 25
#define MAX_ROWS 1000000

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };
static const char *const formats[] = { "text", "json", "markdown" };
static const char *const per_words[] = { "samples", "seconds" };

struct diff_call {
	struct diff_side before, after;
	const char *source_maps, *debug_dir;
	u32 format, per, only, top;
	bool has_per, has_units, is_all, is_wide;
	double fail_on; /* percent of the CPU time of the process; 0: never fail */
};

enum {
	KEY_PER = 256,
	KEY_UNITS,
	KEY_FAIL_ON,
	KEY_ONLY,
	KEY_ALL,
	KEY_TOP,
	KEY_WIDE,
	KEY_SOURCE_MAPS,
	KEY_DEBUG_DIR,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Questions:", 1 },
	{ "per", KEY_PER, "WORD", 0,
	  "Compare CPU time per: samples (the share of the process's CPU time, the default) or "
	  "seconds (of the recording)",
	  1 },
	{ "units", KEY_UNITS, "A,B", 0,
	  "Compare CPU time per unit of work: A units, such as requests, were done during BEFORE, "
	  "B "
	  "during AFTER",
	  1 },
	{ "only", KEY_ONLY, "WORD", 0, "As in report: keep only frames of app, js, dotnet, ...",
	  1 },
	{ "source-maps", KEY_SOURCE_MAPS, "DIR", 0, MAP_DIR_HELP, 1 },
	{ "debug-dir", KEY_DEBUG_DIR, "DIR", 0, DEBUG_DIR_HELP, 1 },
	{ NULL, 0, NULL, 0, "Output:", 2 },
	{ "format", 'f', "FORMAT", 0, "Print in this format: text, json or markdown", 2 },
	{ "fail-on", KEY_FAIL_ON, "+P%", 0,
	  "Exit with 1 if self or total of a function rose beyond noise, and by at least P percent "
	  "of the CPU time of the process",
	  2 },
	{ "all", KEY_ALL, NULL, 0, "Also print functions whose change is within noise", 2 },
	{ "top", KEY_TOP, "N", 0, "Print at most N rows (default 25)", 2 },
	{ "wide", KEY_WIDE, NULL, 0, "Do not shorten names to the width of the terminal", 2 },
	{ 0 },
};

/* ---- options ---- */

static error_t set_units(struct cli_parse *p, const char *arg, struct diff_call *o)
{
	char *comma, *end;
	double before = strtod(arg, &comma);
	double after = *comma == ',' ? strtod(comma + 1, &end) : 0;

	if (!(before >= 1e-9 && before <= 1e15 && after >= 1e-9 && after <= 1e15) || *end)
		return cli_fail(p, "--units: '%s' is not two numbers above 0; write 1200,1350",
				arg);
	o->before.units = before;
	o->after.units = after;
	o->has_units = true;
	return 0;
}

static error_t set_fail_on(struct cli_parse *p, const char *arg, struct diff_call *o)
{
	char *end = NULL;

	o->fail_on = arg[0] == '+' && arg[1] >= '0' && arg[1] <= '9' ? strtod(arg + 1, &end) : 0;
	if (!end || strcmp(end, "%") != 0 || !(o->fail_on > 0 && o->fail_on <= 1e6))
		return cli_fail(p, "--fail-on: '%s' is not a rise in percent; write +3%%", arg);
	return 0;
}

static error_t set_path(struct cli_parse *p, const char *arg, struct diff_call *o)
{
	if (o->after.path)
		return cli_fail(p, "unexpected argument '%s'; use unspool diff BEFORE AFTER", arg);
	*(o->before.path ? &o->after.path : &o->before.path) = arg;
	return 0;
}

/* Checks that depend on several arguments. */
static error_t check(struct cli_parse *p, const struct diff_call *o)
{
	if (!o->after.path)
		return cli_fail(p, "missing arguments; use unspool diff BEFORE AFTER");
	if (!strcmp(o->before.path, "-") && !strcmp(o->after.path, "-"))
		return cli_fail(p, "only one of BEFORE and AFTER can be standard input");
	if (o->has_per && o->has_units)
		return cli_fail(p, "use only one of --per and --units");
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct cli_parse *p = state->input;
	struct diff_call *o = p->input;

	switch (key) {
	case KEY_PER:
		o->has_per = true;
		return cli_set_word(p, "--per", arg, per_words, ARRAY_SIZE(per_words), &o->per);
	case KEY_UNITS:
		return set_units(p, arg, o);
	case KEY_ONLY:
		return cli_set_word(p, "--only", arg, query_only_names, QUERY_N_ONLY, &o->only);
	case 'f':
		return cli_set_word(p, "-f", arg, formats, ARRAY_SIZE(formats), &o->format);
	case KEY_FAIL_ON:
		return set_fail_on(p, arg, o);
	case KEY_ALL:
		return cli_set_flag(p, arg, &o->is_all);
	case KEY_TOP:
		return cli_set_number(p, "--top", arg, MAX_ROWS, &o->top);
	case KEY_WIDE:
		return cli_set_flag(p, arg, &o->is_wide);
	case KEY_SOURCE_MAPS:
		return cli_set_text(p, arg, &o->source_maps);
	case KEY_DEBUG_DIR:
		return cli_set_text(p, arg, &o->debug_dir);
	case ARGP_KEY_ARG:
		return set_path(p, arg, o);
	case ARGP_KEY_END:
		return check(p, o);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "BEFORE AFTER",
	.doc = "Print which functions use more or less CPU time in the profile AFTER than in the "
	       "profile BEFORE, and which of these changes are beyond noise. Both are profiles as "
	       "for report; - is standard input.\v"
	       "Exit status: 0 success, also if functions changed; 1 a profile is broken, can't be "
	       "read, or has no samples, or a function rose as --fail-on says; 2 wrong usage.",
};

/* ---- the command ---- */

static int read_side(struct diff_side *s, struct map_dir *maps, struct debug_dir *debug)
{
	_cleanup_(prof_reader_free) struct prof_reader *in = NULL;
	int err = prof_reader_open(s->path, &in);

	if (err == 0) {
		map_dir_attach(maps, in);
		debug_dir_attach(debug, in);
		err = data_read_samples(in, &s->data);
	}
	if (err == 0 && s->data->samples)
		return CLI_OK;
	if (err == 0)
		cli_error("%s has no sample", s->path);
	else if (in && prof_reader_error(in)[0])
		cli_error("%s", prof_reader_error(in));
	else
		cli_error("can't read %s: %s", s->path, strerror(-err));
	return CLI_FAILURE;
}

static enum diff_per per_of(const struct diff_call *o)
{
	return o->has_units ? DIFF_PER_UNITS : (enum diff_per)o->per;
}

static int print(const struct diff_call *o, const struct diff *d)
{
	struct diff_print p = { o->is_all, o->top,
				o->is_wide ? REPORT_UNLIMITED : report_width(stdout) };

	if (o->format == FORMAT_JSON)
		return diff_print_json(stdout, d, &p);
	p.top = p.top ? p.top : N_ROWS;
	return o->format == FORMAT_MARKDOWN ? diff_print_markdown(stdout, d, &p)
					    : diff_print_text(stdout, d, &p);
}

/* Returns the exit status, for which --fail-on decides. */
static int judge(const struct diff_call *o, const struct diff *d)
{
	const struct diff_value *value = NULL;
	const struct diff_row *worst = o->fail_on > 0 ? diff_worst(d, o->fail_on, &value) : NULL;
	char before[DIFF_NUMBER_LEN], after[DIFF_NUMBER_LEN];

	if (!worst)
		return CLI_OK;
	fflush(stdout);
	cli_error("%s of %s rose beyond noise and by more than %g %%: %s -> %s %s",
		  value == &worst->self ? "self" : "total", diff_row_name(worst), o->fail_on,
		  diff_number(before, d, value->before, false),
		  diff_number(after, d, value->after, false), diff_unit(d));
	return CLI_FAILURE;
}

static int compare(struct diff_call *o)
{
	_cleanup_(diff_deinit) struct diff d = { 0 };
	int err = diff_make(&o->before, &o->after, o->only, per_of(o), &d);

	if (err == -ENODATA) {
		cli_error("%s has no sampling rate or no duration; compare it with --per samples",
			  o->before.data->hz && o->before.blocks.seconds > 0 ? o->after.path
									     : o->before.path);
		return CLI_USAGE;
	}
	if (err == 0)
		err = print(o, &d);
	if (err == 0)
		return judge(o, &d);
	cli_error("can't compare %s and %s: %s", o->before.path, o->after.path, strerror(-err));
	return CLI_FAILURE;
}

int cmd_diff(int argc, char **argv)
{
	_cleanup_(map_dir_free) struct map_dir *maps = NULL;
	_cleanup_(debug_dir_free) struct debug_dir *debug = NULL;
	struct diff_call o = { 0 };
	int status = cli_parse_or_exit_status(&argp, argc, argv, &o);

	if (status != CLI_CONTINUE)
		return status;
	setlocale(LC_CTYPE, "");
	if ((o.source_maps && map_dir_open(&maps, o.source_maps)) ||
	    (o.debug_dir && debug_dir_open(&debug, o.debug_dir)))
		return CLI_USAGE;
	status = read_side(&o.before, maps, debug);
	if (status == CLI_OK)
		status = read_side(&o.after, maps, debug);
	debug_dir_print_missing(debug);
	if (status == CLI_OK)
		status = compare(&o);
	diff_side_deinit(&o.before);
	diff_side_deinit(&o.after);
	return status;
}
