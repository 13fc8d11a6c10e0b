/* SPDX-License-Identifier: BSD-2-Clause */

/* `unspool report`: prints a profile. */

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "../inspect/util/array.h"
#include "../inspect/util/cleanup.h"
#include "../inspect/util/cli_fields.h"
#include "cli/duration.h"
#include "commands.h"
#include "report/report.h"
#include "sourcemap/map_dir.h"
#include "symbols/debug_dir.h"

#define BY_WORDS "function, line, file, package, module, kind, runtime, thread or process"
#define MAX_ROWS 1000000
#define ONLY_WORDS "app, js, dotnet, native or kernel"

struct report_call {
	const char *file, *source_maps, *debug_dir;
	bool is_json, is_wide;
	struct report_options print;
};

enum {
	KEY_SORT = 256,
	KEY_TOP,
	KEY_TREE,
	KEY_CALLERS,
	KEY_CALLEES,
	KEY_AWAITED,
	KEY_BY,
	KEY_ONLY,
	KEY_GREP,
	KEY_LINES,
	KEY_SINCE,
	KEY_UNTIL,
	KEY_WIDE,
	KEY_SOURCE_MAPS,
	KEY_DEBUG_DIR,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Questions:", 1 },
	{ "tree", KEY_TREE, NULL, 0, "Print a call tree instead of a table", 1 },
	{ "callers", KEY_CALLERS, "NAME", 0, "Print the callers of a function as a tree", 1 },
	{ "callees", KEY_CALLEES, "NAME", 0, "Print the callees of a function as a tree", 1 },
	{ "awaited", KEY_AWAITED, NULL, 0,
	  "Print awaited functions with their async callers (record --async)", 1 },
	{ "lines", KEY_LINES, "NAME", OPTION_ARG_OPTIONAL,
	  "Print a row for each executed line; with NAME, only lines of that function, beside its "
	  "source",
	  1 },
	{ "by", KEY_BY, "WORD", 0, "Group by " BY_WORDS, 1 },
	{ "sort", KEY_SORT, "WORD", 0, "Sort the table by self or total", 1 },
	{ NULL, 0, NULL, 0, "Filters:", 2 },
	{ "only", KEY_ONLY, "WORD", 0,
	  "Keep only frames of this kind: " ONLY_WORDS
	  "; with app, the time of other code counts for the application function that called it",
	  2 },
	{ "grep", KEY_GREP, "REGEX", 0,
	  "Keep only stacks with a function whose \"name (file:line)\" matches", 2 },
	{ "since", KEY_SINCE, "TIME", 0,
	  "Keep only samples after this time since the start of the recording: 10, 1m", 2 },
	{ "until", KEY_UNTIL, "TIME", 0,
	  "Keep only samples before this time since the start of the recording", 2 },
	{ "source-maps", KEY_SOURCE_MAPS, "DIR", 0, MAP_DIR_HELP, 2 },
	{ "debug-dir", KEY_DEBUG_DIR, "DIR", 0, DEBUG_DIR_HELP, 2 },
	{ NULL, 0, NULL, 0, "Output:", 3 },
	{ "top", KEY_TOP, "N", 0, "Print at most N rows", 3 },
	{ "format", 'f', "FORMAT", 0, "Print in this format: text, json, markdown or csv", 3 },
	{ "wide", KEY_WIDE, NULL, 0, "Do not shorten names to the width of the terminal", 3 },
	{ "json", 'j', NULL, 0, "Print every stack as a JSON line, for jq", 3 },
	{ 0 },
};

/* ---- setters; @member is a member of struct report_options ---- */

static error_t set_by(struct cli_parse *p, const char *arg, void *member)
{
	struct report_options *o = member;

	o->is_question = true;
	return cli_set_word(p, "--by", arg, query_by_names, QUERY_N_BY, &o->query.by);
}

static error_t set_only(struct cli_parse *p, const char *arg, void *member)
{
	struct report_options *o = member;

	o->is_question = true;
	return cli_set_word(p, "--only", arg, query_only_names, QUERY_N_ONLY, &o->query.only);
}

static error_t set_sort(struct cli_parse *p, const char *arg, void *member)
{
	static const char *const words[] = { "self", "total" };
	struct report_options *o = member;
	u32 word = 0;
	error_t r = cli_set_word(p, "--sort", arg, words, ARRAY_SIZE(words), &word);

	o->is_question = true;
	o->query.by_total = word;
	return r;
}

static error_t set_format(struct cli_parse *p, const char *arg, void *member)
{
	struct report_options *o = member;

	return cli_set_word(p, "-f", arg, report_format_names, REPORT_N_FORMATS, &o->format);
}

static error_t set_shape(struct cli_parse *p, struct report_options *o, enum query_shape shape,
			 const char *name)
{
	if (o->query.shape != QUERY_FLAT)
		return cli_fail(p, "use only one of --tree, --callers, --callees and --awaited");
	o->is_question = true;
	o->query.shape = shape;
	o->query.function = name;
	return 0;
}

static error_t set_tree(struct cli_parse *p, const char *arg, void *member)
{
	(void)arg;
	return set_shape(p, member, QUERY_TREE, NULL);
}

static error_t set_callers(struct cli_parse *p, const char *arg, void *member)
{
	return set_shape(p, member, QUERY_CALLERS, arg);
}

static error_t set_callees(struct cli_parse *p, const char *arg, void *member)
{
	return set_shape(p, member, QUERY_CALLEES, arg);
}

static error_t set_awaited(struct cli_parse *p, const char *arg, void *member)
{
	(void)arg;
	return set_shape(p, member, QUERY_AWAITED, NULL);
}

static error_t set_lines(struct cli_parse *p, const char *arg, void *member)
{
	struct report_options *o = member;

	o->query.function = arg ? arg : o->query.function;
	return set_by(p, "line", member);
}

static error_t set_grep(struct cli_parse *p, const char *arg, void *member)
{
	(void)p;
	((struct report_options *)member)->query.grep = arg;
	return 0;
}

static error_t set_top(struct cli_parse *p, const char *arg, void *member)
{
	return cli_set_number(p, "--top", arg, MAX_ROWS, &((struct report_options *)member)->top);
}

static error_t set_time(struct cli_parse *p, const char *option, const char *arg, u64 *us)
{
	u64 ns;

	if (duration_parse(arg, &ns) < 0)
		return cli_fail(p, "%s: '%s' is not a time; write 30, 1.5s or 2m", option, arg);
	*us = ns / 1000;
	return 0;
}

static error_t set_since(struct cli_parse *p, const char *arg, void *member)
{
	return set_time(p, "--since", arg, &((struct report_options *)member)->span.since_us);
}

static error_t set_until(struct cli_parse *p, const char *arg, void *member)
{
	return set_time(p, "--until", arg, &((struct report_options *)member)->span.until_us);
}

#define PRINT offsetof(struct report_call, print)

static const struct cli_field fields[] = {
	{ 'j', offsetof(struct report_call, is_json), cli_set_flag, NULL },
	{ KEY_WIDE, offsetof(struct report_call, is_wide), cli_set_flag, NULL },
	{ KEY_SOURCE_MAPS, offsetof(struct report_call, source_maps), cli_set_text, NULL },
	{ KEY_DEBUG_DIR, offsetof(struct report_call, debug_dir), cli_set_text, NULL },
	{ KEY_SORT, PRINT, set_sort, NULL },
	{ KEY_TOP, PRINT, set_top, NULL },
	{ KEY_TREE, PRINT, set_tree, NULL },
	{ KEY_CALLERS, PRINT, set_callers, NULL },
	{ KEY_CALLEES, PRINT, set_callees, NULL },
	{ KEY_AWAITED, PRINT, set_awaited, NULL },
	{ KEY_BY, PRINT, set_by, NULL },
	{ KEY_ONLY, PRINT, set_only, NULL },
	{ KEY_GREP, PRINT, set_grep, NULL },
	{ KEY_LINES, PRINT, set_lines, NULL },
	{ KEY_SINCE, PRINT, set_since, NULL },
	{ KEY_UNTIL, PRINT, set_until, NULL },
	{ 'f', PRINT, set_format, NULL },
	{ ARGP_KEY_ARG, offsetof(struct report_call, file), cli_set_text,
	  "missing argument; use unspool report FILE" },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.args_doc = "FILE",
	.doc = "Print where CPU time was spent in a recording: the hot paths of the program's own "
	       "code, all functions, threads and processes. FILE is a profile (.ndjson, plain or "
	       "compressed), the .partial file of a recording that runs or was killed, folded "
	       "stacks, or - for standard input.\v"
	       "Exit status: 0 success, 1 FILE is broken, can't be read, or has no samples, or "
	       "there is no function with this NAME.",
};

static void print_error(const struct report_call *o, const struct prof_reader *in, int r)
{
	if (r == -ENODATA)
		cli_error("%s has no sample%s", o->file,
			  o->print.span.since_us || o->print.span.until_us ? " of that time" : "");
	else if (in && prof_reader_error(in)[0])
		cli_error("%s", prof_reader_error(in));
	else if (in && r == -ENOENT)
		cli_error("%s: no function has the name '%s'", o->file, o->print.query.function);
	else if (in && r == -EINVAL)
		cli_error("--grep: '%s' is not an extended regular expression",
			  o->print.query.grep);
	else if (in)
		cli_error("can't print the report: %s", strerror(-r));
	else
		cli_error("can't read %s: %s", o->file, strerror(-r));
}

int cmd_report(int argc, char **argv)
{
	_cleanup_(map_dir_free) struct map_dir *maps = NULL;
	_cleanup_(debug_dir_free) struct debug_dir *debug = NULL;
	_cleanup_(prof_reader_free) struct prof_reader *in = NULL;
	struct report_call o = { 0 };
	int status = cli_set_fields(&argp, fields, argc, argv, &o), err;

	if (status != CLI_CONTINUE)
		return status;
	setlocale(LC_CTYPE, "");
	o.print.width = o.is_wide ? REPORT_UNLIMITED : 0;
	if ((o.source_maps && map_dir_open(&maps, o.source_maps)) ||
	    (o.debug_dir && debug_dir_open(&debug, o.debug_dir)))
		return CLI_USAGE;
	err = prof_reader_open(o.file, &in);
	if (err == 0) {
		map_dir_attach(maps, in);
		debug_dir_attach(debug, in);
	}
	if (err == 0)
		err = o.is_json ? report_print_stacks(stdout, in, &o.print.span)
				: report_print(stdout, in, &o.print);
	fflush(stdout);
	debug_dir_print_missing(debug);
	if (err == 0)
		return CLI_OK;
	print_error(&o, in, err);
	return CLI_FAILURE;
}
