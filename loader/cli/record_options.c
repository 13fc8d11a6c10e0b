/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The options of `unspool record`. The first argument that is not an option starts
 * COMMAND, and all arguments after it belong to COMMAND; a "--" before it is
 * allowed. -g and --call-graph exist for users of perf and are ignored.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "reason.h"
#include "record_options.h"
#include "size.h"

#define MAX_PID (1 << 22) /* PID_MAX_LIMIT, include/linux/threads.h at v6.12 */
#define MIN_CONTAINER_DIGITS 8
#define MAX_CONTAINER_DIGITS 64

enum {
	KEY_FOLLOW = 0x100,
	KEY_CGROUP,
	KEY_CONTAINER,
	KEY_ASYNC,
	KEY_CALL_GRAPH,
	KEY_MAX_MEMORY,
	KEY_DEBUGINFOD,
	KEY_FLIGHT,
	KEY_FLIGHT_MEMORY,
	KEY_FREEZE,
	KEY_FREEZE_PID,
};

static const struct argp_option options[] = {
	{ "pid", 'p', "PID[,PID]|NAME", 0,
	  "Record these processes and the children they start; NAME: an executable, script, "
	  "assembly or npm package, or a part of it",
	  1 },
	{ "follow", KEY_FOLLOW, NULL, 0,
	  "Continue after the processes of -p NAME end, and record processes that get NAME later",
	  1 },
	{ "all", 'a', NULL, 0, "Record all processes", 1 },
	{ "tid", 't', "TID[,TID]", 0, "Record these threads", 1 },
	{ "cgroup", KEY_CGROUP, "PATH", 0, "Record the processes of a cgroup", 1 },
	{ "container", KEY_CONTAINER, "ID", 0,
	  "Record the processes of a container; the first 8 digits of its id suffice", 1 },
	{ "freq", 'F', "HZ", 0, "Samples per second of CPU time (default 99)", 2 },
	{ "rate", 'r', NULL, OPTION_ALIAS, NULL, 2 },
	{ "duration", 'd', "TIME", 0, "Stop after this time: 30, 30s, 500ms, 2m or 1h", 2 },
	{ "async", KEY_ASYNC, NULL, 0,
	  "Include async callers: functions that await the running function", 2 },
	{ "max-memory", KEY_MAX_MEMORY, "SIZE", 0,
	  "Memory for unwind rows, in bytes or with suffix k, M or G (default 16M); the oldest "
	  "rows are "
	  "evicted first",
	  2 },
	{ "debuginfod", KEY_DEBUGINFOD, NULL, 0,
	  "Fetch missing debug files, for names and lines, from the servers in $DEBUGINFOD_URLS "
	  "(with debuginfod-find)",
	  2 },
	{ "output", 'o', "FILE", 0,
	  "Output file (.ndjson, .ndjson.gz, .ndjson.zst, .folded; - is stdout)", 3 },
	{ "format", 'f', "FORMAT", 0, "Output format (default: by the suffix of FILE)", 3 },
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

/* Decimal digits only, @min to @max. */
static int parse_number(const char *text, size_t len, long min, long max, int *number)
{
	long value = 0;

	if (!len)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		if (value <= max)
			value = value * 10 + (text[i] - '0');
	}
	if (value < min || value > max)
		return -ERANGE;
	*number = (int)value;
	return 0;
}

static int add_id(int **ids, size_t *n, int id)
{
	int *grown;

	for (size_t i = 0; i < *n; i++) {
		if ((*ids)[i] == id)
			return 0;
	}
	if (*n == RECORD_MAX_IDS)
		return -E2BIG;
	grown = reallocarray(*ids, *n + 1, sizeof(**ids));
	if (!grown)
		return -ENOMEM;
	*ids = grown;
	grown[(*n)++] = id;
	return 0;
}

static int parse_ids(struct cli_parse *p, const char *option, const char *list, int **ids,
		     size_t *n)
{
	for (const char *s = list;; s++) {
		size_t len = strcspn(s, ",");
		int id, err;

		err = parse_number(s, len, 1, MAX_PID, &id);
		if (err)
			return cli_fail(p, "%s %s: '%.*s' is not an id; give numbers from 1 to %d",
					option, list, (int)len, s, MAX_PID);
		err = add_id(ids, n, id);
		if (err == -E2BIG)
			return cli_fail(p, "%s: more than %d ids; use --cgroup or -a", option,
					RECORD_MAX_IDS);
		if (err)
			return -err;
		s += len;
		if (!*s)
			return 0;
	}
}

static int parse_pid(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;

	if (!*arg)
		return cli_fail(p, "-p needs a PID or a NAME; 'unspool ps' lists both");
	if (!arg[strspn(arg, "0123456789,")])
		return parse_ids(p, "-p", arg, &o->pids, &o->n_pids);
	if (o->n_names == RECORD_MAX_NAMES)
		return cli_fail(p, "-p: more than %d names; use PIDs, or -a", RECORD_MAX_NAMES);
	o->names[o->n_names++] = arg;
	return 0;
}

static int parse_hz(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;
	int hz;

	if (parse_number(arg, strlen(arg), 1, RECORD_MAX_HZ, &hz))
		return cli_fail(p, "-F %s: give a number of samples per second from 1 to %d", arg,
				RECORD_MAX_HZ);
	o->hz = (u32)hz;
	return 0;
}

static int parse_memory(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;
	int err = size_parse(arg, RECORD_MAX_MEMORY, &o->max_memory);

	if (err == -ERANGE)
		return cli_fail(p, "--max-memory %s: give at most 1G", arg);
	if (err)
		return cli_fail(p, "--max-memory %s: not an amount; write 16M, 512k or 1G", arg);
	return 0;
}

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

static int parse_time(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;
	int err = duration_parse(arg, &o->duration_ns);

	if (err == -ERANGE)
		return cli_fail(p, "-d %s: give a time from 1ms to 365 days", arg);
	if (err)
		return cli_fail(p, "-d %s: not a time; write 30, 30s, 500ms, 2m or 1h", arg);
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

static int parse_container(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;
	size_t len = strlen(arg);

	if (len < MIN_CONTAINER_DIGITS || len > MAX_CONTAINER_DIGITS ||
	    arg[strspn(arg, "0123456789abcdef")])
		return cli_fail(p,
				"--container %s: give %d to %d hexadecimal digits of the id "
				"(docker ps, crictl ps)",
				arg, MIN_CONTAINER_DIGITS, MAX_CONTAINER_DIGITS);
	o->container = arg;
	return 0;
}

static int parse_cgroup(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;

	if (!*arg)
		return cli_fail(p, "--cgroup needs a path, absolute or below /sys/fs/cgroup");
	o->cgroup = arg;
	return 0;
}

static int parse_freeze_pid(struct cli_parse *p, const char *arg)
{
	struct record_options *o = p->input;

	if (parse_number(arg, strlen(arg), 1, MAX_PID, &o->freeze_pid))
		return cli_fail(p, "--freeze-pid %s: give a pid", arg);
	return 0;
}

/* Checks that involve several options. */
static int check_combination(struct cli_parse *p)
{
	const struct record_options *o = p->input;
	const char *given[5];
	size_t n = 0;

	if (o->n_pids || o->n_names)
		given[n++] = "-p";
	if (o->all)
		given[n++] = "-a";
	if (o->n_tids)
		given[n++] = "-t";
	if (o->cgroup)
		given[n++] = "--cgroup";
	if (o->container)
		given[n++] = "--container";
	if (n > 1)
		return cli_fail(p, "%s and %s can't be combined; choose one", given[0], given[1]);
	if (o->follow && !o->n_names)
		return cli_fail(p,
				"--follow needs -p NAME, because it finds new processes by name");
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
	case 'p':
		return parse_pid(p, arg);
	case KEY_FOLLOW:
	case 'a':
		*(key == 'a' ? &o->all : &o->follow) = true;
		return 0;
	case 't':
		return parse_ids(p, "-t", arg, &o->tids, &o->n_tids);
	case KEY_CGROUP:
		return parse_cgroup(p, arg);
	case KEY_CONTAINER:
		return parse_container(p, arg);
	case 'F':
	case 'r':
		return parse_hz(p, arg);
	case 'd':
		return parse_time(p, arg);
	case KEY_MAX_MEMORY:
		return parse_memory(p, arg);
	case 'o':
		return parse_output(p, arg);
	case 'f':
		o->format = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case KEY_ASYNC:
		o->async = true;
		return 0;
	case KEY_DEBUGINFOD:
	case KEY_FLIGHT:
		*(key == KEY_FLIGHT ? &o->flight : &o->debuginfod) = true;
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
	case ARGP_KEY_ARG:
		o->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		return check_combination(p);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[-- COMMAND [ARG]...]",
	.doc = "Record where processes, or COMMAND and its descendants, spend their CPU time.\v"
	       "If a target (-p, -a, ...) is also given, COMMAND only sets the duration. When the "
	       "recording ends, COMMAND receives SIGTERM. Ctrl-C ends the recording. If COMMAND "
	       "also receives Ctrl-C, it is recorded until it ends, but for at most 10 s. A "
	       "second Ctrl-C ends the recording at once, and aborts writing to a blocked pipe.",
};

int record_options_parse(int argc, char **argv, struct record_options *o, struct cli_parse *p)
{
	*o = (struct record_options){ .hz = RECORD_DEFAULT_HZ,
				      .max_memory = RECORD_DEFAULT_MEMORY };
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
