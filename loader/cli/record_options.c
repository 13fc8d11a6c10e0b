/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The options of `unspool record`. -g and --call-graph exist for users of perf and are ignored.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reason.h"
#include "size.h"
#include "target_options.h"

enum {
	KEY_CALL_GRAPH = 0x100,
	KEY_KEEP_ARGS,
	KEY_FLIGHT,
	KEY_FLIGHT_MEMORY,
	KEY_FREEZE,
	KEY_FREEZE_PID,
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "Output file (.html, .ndjson, .ndjson.gz, .ndjson.zst, .folded; - is stdout)", 3 },
	{ "format", 'f', "FORMAT", 0, "Output format (default: by the suffix of FILE)", 3 },
	{ "keep-args", KEY_KEEP_ARGS, NULL, 0,
	  "Write the arguments of COMMAND into the profile; they may contain secrets", 3 },
	{ "quiet", 'q', NULL, 0, "Show no progress", 3 },
	{ "flight", KEY_FLIGHT, NULL, 0,
	  "Let 'unspool flight' read the flight recorder, a log of every walk of the unwinder "
	  "(SIGUSR2 writes it to a file at any time, even without this option)",
	  4 },
	{ "flight-memory", KEY_FLIGHT_MEMORY, "SIZE", 0,
	  "Flight recorder memory per CPU: a power of two from 4k to 2M (default 64k, or 1M with "
	  "--flight)",
	  4 },
	{ "freeze", KEY_FREEZE, "WHEN", 0,
	  "Freeze the flight recorder and write it to a file when samples are lost (loss), or when "
	  "a stack ends with this: truncated, failed, or a reason that 'unspool report' prints. "
	  "Can be repeated. The file contains the walk of that stack as a case (unspool flight "
	  "cases)",
	  4 },
	{ "freeze-pid", KEY_FREEZE_PID, "PID", 0, "Restrict the flight recorder to this process",
	  4 },
	{ NULL, 'g', NULL, 0,
	  "This option and --call-graph are ignored, because stacks are always recorded", 5 },
	{ "call-graph", KEY_CALL_GRAPH, "ANY", OPTION_HIDDEN, NULL, 5 },
	{ 0 },
};

static int parse_flight_memory(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;
	int err = size_parse(arg, RECORD_MAX_FLIGHT, &o->flight_memory);

	if (err || o->flight_memory < RECORD_MIN_FLIGHT ||
	    o->flight_memory & (o->flight_memory - 1))
		return cli_fail(p, "--flight-memory %s: give a power of two from 4k to 2M", arg);
	return 0;
}

static int parse_freeze(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;
	u64 stacks, frames;

	if (!strcmp(arg, "loss")) {
		o->freeze_on_loss = true;
		return 0;
	}
	if (reason_parse(arg, &stacks, &frames) || frames || stacks == REASON_ANY)
		return cli_fail(p,
				"--freeze %s: unknown reason; use truncated, failed, loss, or a "
				"reason that 'unspool report' prints",
				arg);
	o->freeze_on |= stacks;
	return 0;
}

static int parse_output(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;

	if (!*arg)
		return cli_fail(p, "-o needs the name of a file, or - for stdout");
	if (o->n_outputs == RECORD_MAX_OUTPUTS)
		return cli_fail(p, "-o: more than %d files; use 'unspool convert' for the others",
				RECORD_MAX_OUTPUTS);
	for (size_t i = 0; i < o->n_outputs; i++) {
		if (!strcmp(o->outputs[i], arg))
			return cli_fail(p, "-o %s is given twice; drop one", arg);
	}
	o->outputs[o->n_outputs++] = arg;
	return 0;
}

static int parse_freeze_pid(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;

	if (option_number(arg, strlen(arg), 1, OPTION_MAX_PID, &o->freeze_pid))
		return cli_fail(p, "--freeze-pid %s: give a pid", arg);
	return 0;
}

static int check_outputs(struct cli_parse *p)
{
	const struct record_options *o = p->input;

	for (size_t i = 0; i < o->n_outputs; i++) {
		if (!strcmp(o->outputs[i], "-") && !o->format)
			return cli_fail(p, "-o - needs a format: -f ndjson or -f folded");
	}
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct cli_parse *p = state->input;
	struct record_options *o = p->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = p;
		return 0;
	case 'o':
		return parse_output(p, arg);
	case 'f':
		o->format = arg;
		return 0;
	case 'q':
	case KEY_KEEP_ARGS:
		*(key == 'q' ? &o->quiet : &o->keep_args) = true;
		return 0;
	case KEY_FLIGHT:
		o->flight = true;
		return 0;
	case KEY_FLIGHT_MEMORY:
		return parse_flight_memory(p, arg);
	case KEY_FREEZE:
		return parse_freeze(p, arg);
	case KEY_FREEZE_PID:
		return parse_freeze_pid(p, arg);
	case 'g':
	case KEY_CALL_GRAPH:
		return 0;
	case ARGP_KEY_END:
		return check_outputs(p);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &target_options, 0, NULL, 0 }, { 0 } };

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.children = children,
	.args_doc = "[-- COMMAND [ARG]...]",
	.doc = "Record where processes, or COMMAND and its descendants, spend their CPU time.\v"
	       "If a target (-p, -a, ...) is also given, COMMAND only sets the duration. When the "
	       "recording ends, COMMAND receives SIGTERM. Ctrl-C ends the recording. If COMMAND "
	       "also receives Ctrl-C, it is recorded until it ends, but for at most 10 s. A "
	       "second Ctrl-C ends the recording at once, and aborts writing to a blocked pipe.",
};

void record_options_init(struct record_options *o)
{
	*o = (struct record_options){ .hz = RECORD_DEFAULT_HZ,
				      .max_memory = RECORD_DEFAULT_MEMORY };
}

int record_options_parse(int argc, char **argv, struct record_options *o, struct cli_parse *p)
{
	record_options_init(o);
	p->input = o;
	return cli_parse(&argp, argc, argv, p);
}

void record_options_deinit(struct record_options *o)
{
	free(o->pids);
	free(o->tids);
	*o = (struct record_options){ 0 };
}

bool record_options_has_target(const struct record_options *o)
{
	return o->n_pids || o->n_names || o->all || o->n_tids || o->cgroup || o->container;
}
