/* SPDX-License-Identifier: BSD-2-Clause */

/* `unspool convert`: converts a profile to another format. */

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "../inspect/util/cleanup.h"
#include "../inspect/util/text_stream.h"
#include "../inspect/util/cli.h"
#include "anonymize/anonymize.h"
#include "anonymize/option.h"
#include "commands.h"
#include "out/out.h"
#include "sourcemap/map_dir.h"
#include "symbols/debug_dir.h"

struct convert_options {
	const char *in, *out, *format_name, *source_maps, *debug_dir;
	const struct out_format *format;
	bool anonymizes;
	struct anonymizer_options anonymize;
	bool quiet;
};

enum { KEY_SOURCE_MAPS = 0x100, KEY_DEBUG_DIR, KEY_ANONYMIZE };

static const struct argp_option options[] = {
	{ "format", 'f', "FORMAT", 0, OUT_FORMAT_NAMES " (default: by the suffix of OUT)", 1 },
	{ "source-maps", KEY_SOURCE_MAPS, "DIR", 0, MAP_DIR_HELP, 1 },
	{ "debug-dir", KEY_DEBUG_DIR, "DIR", 0, DEBUG_DIR_HELP, 1 },
	{ "anonymize", KEY_ANONYMIZE, "[all,]KEY", OPTION_ARG_OPTIONAL,
	  "Replace paths, arguments and names of processes, threads and hosts by hashes; with all, "
	  "names of functions, too. With the same KEY, hashes are comparable; @FILE reads KEY "
	  "from a file (default: a random key)",
	  1 },
	{ "quiet", 'q', NULL, 0, "Don't print what the format of OUT can't hold", 1 },
	{ 0 },
};

/* Checks that depend on several arguments. */
static error_t check(struct cli_parse *p, struct convert_options *o)
{
	if (!o->in || !o->out)
		return cli_fail(p, "missing arguments; use unspool convert IN OUT");
	if (!o->format_name && strcmp(o->out, "-") == 0)
		return cli_fail(
			p, "standard output needs a format; add -f with one of " OUT_FORMAT_NAMES);
	o->format = out_format_find(o->format_name ? o->format_name : o->out);
	if (!o->format && o->format_name)
		return cli_fail(p, "unknown format '%s'; use one of " OUT_FORMAT_NAMES,
				o->format_name);
	if (!o->format)
		return cli_fail(p, "%s: unknown format; add -f with one of " OUT_FORMAT_NAMES,
				o->out);
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct cli_parse *p = state->input;
	struct convert_options *o = p->input;

	switch (key) {
	case 'f':
		o->format_name = arg;
		return 0;
	case KEY_SOURCE_MAPS:
		o->source_maps = arg;
		return 0;
	case KEY_DEBUG_DIR:
		o->debug_dir = arg;
		return 0;
	case KEY_ANONYMIZE:
		o->anonymizes = true;
		return anonymize_option_parse(p, arg, &o->anonymize);
	case 'q':
		o->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->out)
			return cli_fail(p, "unexpected argument '%s'; use unspool convert IN OUT",
					arg);
		*(o->in ? &o->out : &o->in) = arg;
		return 0;
	case ARGP_KEY_END:
		return check(p, o);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "IN OUT",
	.doc = "Convert the profile IN (.ndjson, plain or compressed, .partial, or folded stacks) "
	       "to another format and write it to OUT. - is standard input or output. With %t in "
	       "OUT, each thread gets a .cpuprofile of its own.\v"
	       "Exit status: 0 success, 1 IN is invalid or OUT can't be written.",
};

static int write_stdout(const struct out_format *format, struct prof_reader *in)
{
	int err = format->write(in, stdout);

	return err < 0 ? err : text_stream_flush(stdout);
}

static int convert(const struct convert_options *o, struct prof_reader *in)
{
	int err = strcmp(o->out, "-") == 0 ? write_stdout(o->format, in)
					   : out_write_file(o->format, in, o->out, OUT_OWNER_SELF);

	if (err == 0 && prof_reader_is_cut(in))
		cli_error("%s: the profile is truncated; 'convert' drops the incomplete last line",
			  o->in);
	if (err == 0 && !o->quiet)
		out_print_omissions(o->format, in, o->out);
	if (err == 0)
		return CLI_OK;
	if (prof_reader_error(in)[0])
		cli_error("%s", prof_reader_error(in));
	else
		cli_error("can't write %s: %s", o->out, strerror(-err));
	return CLI_FAILURE;
}

static int start_anonymizer(const struct convert_options *o, struct anonymizer **anonymizer)
{
	int err = anonymizer_new(anonymizer, &o->anonymize);

	if (err)
		cli_error("--anonymize: no key: %s", strerror(-err));
	return err;
}

int cmd_convert(int argc, char **argv)
{
	_cleanup_(map_dir_free) struct map_dir *maps = NULL;
	_cleanup_(debug_dir_free) struct debug_dir *debug = NULL;
	_cleanup_(anonymizer_free) struct anonymizer *anonymizer = NULL;
	_cleanup_(prof_reader_free) struct prof_reader *in = NULL;
	struct convert_options o = { 0 };
	int status = cli_parse_or_exit_status(&argp, argc, argv, &o), err;

	if (status != CLI_CONTINUE)
		return status;
	if (o.anonymizes && start_anonymizer(&o, &anonymizer))
		return CLI_FAILURE;
	/* A file size limit must fail the write instead of killing the process. */
	signal(SIGXFSZ, SIG_IGN);
	if ((o.source_maps && map_dir_open(&maps, o.source_maps)) ||
	    (o.debug_dir && debug_dir_open(&debug, o.debug_dir)))
		return CLI_USAGE;
	err = prof_reader_open(o.in, &in);
	if (err < 0) {
		cli_error("can't read %s: %s", o.in, strerror(-err));
		return CLI_FAILURE;
	}
	map_dir_attach(maps, in);
	debug_dir_attach(debug, in);
	anonymizer_attach(anonymizer, in);
	status = convert(&o, in);
	debug_dir_print_missing(debug);
	return status;
}
