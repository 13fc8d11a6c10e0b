/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The options that `unspool record` and `unspool top` share. The first argument that is not an
 * option starts COMMAND, and all arguments after it belong to COMMAND; a "--" before it is
 * allowed.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "size.h"
#include "target_options.h"

#define MIN_CONTAINER_DIGITS 8
#define MAX_CONTAINER_DIGITS 64

enum {
	KEY_FOLLOW = 0x200,
	KEY_CGROUP,
	KEY_CONTAINER,
	KEY_ASYNC,
	KEY_MAX_MEMORY,
	KEY_DEBUGINFOD,
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
	{ 0 },
};

int option_number(const char *text, size_t len, long min, long max, int *number)
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

		err = option_number(s, len, 1, OPTION_MAX_PID, &id);
		if (err)
			return cli_fail(p, "%s %s: '%.*s' is not an id; give numbers from 1 to %d",
					option, list, (int)len, s, OPTION_MAX_PID);
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

	if (option_number(arg, strlen(arg), 1, RECORD_MAX_HZ, &hz))
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
	case KEY_ASYNC:
	case KEY_DEBUGINFOD:
		*(key == KEY_ASYNC ? &o->async : &o->debuginfod) = true;
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

const struct argp target_options = { .options = options, .parser = parse_option };
