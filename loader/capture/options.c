// SPDX-License-Identifier: BSD-2-Clause

#include "options.h"

#include "../cli/duration.h"
#include "../cli/reason.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ON = 0x100, KEY_MATCH, KEY_AT, KEY_ASYNC, KEY_RAW, KEY_MINIMAL };

static const struct argp_option options[] = {
	{ "pid", 'p', "PID|NAME", 0, "Capture stacks of this process", 1 },
	{ "on", KEY_ON, "REASON", 0,
	  "Capture only stacks that end with this: any (default), truncated, failed, or a reason "
	  "that 'unspool report' prints (\"no frame pointer\" or no-frame-pointer)",
	  1 },
	{ "match", KEY_MATCH, "REGEX", 0,
	  "Capture only stacks with a frame name that matches this extended regex", 1 },
	{ "at", KEY_AT, "ADDR|SYMBOL[+OFF],...", 0,
	  "Capture before the process executes one of these instructions (hardware breakpoint), "
	  "not by time: 0xADDR, or a symbol of its executable",
	  1 },
	{ NULL, 'n', "N", 0, "Capture N stacks (default 1)", 1 },
	{ "async", KEY_ASYNC, NULL, 0,
	  "Include async callers: Node.js functions that await the running function", 1 },
	{ "freq", 'F', "HZ", 0, "Samples per second of CPU time (default 99)", 2 },
	{ "rate", 'r', NULL, OPTION_ALIAS, NULL, 2 },
	{ "duration", 'd', "TIME", 0, "Stop after this time: 30, 30s, 500ms, 2m or 1h", 2 },
	{ "output", 'o', "CASE", 0, "Output file: NAME.core, or compressed NAME.core.zst", 3 },
	{ "raw", KEY_RAW, NULL, 0, "Do not redact private data: strings, sources, environment", 3 },
	{ "minimal", KEY_MINIMAL, NULL, 0,
	  "Keep only the bytes that unwinding and naming read, not whole pages", 3 },
	{ "quiet", 'q', NULL, 0, "Print only the paths of the cases", 3 },
	{ 0 },
};

static int parse_on(struct cli_parse *p, const char *arg)
{
	struct capture_options *o = p->input;

	o->on = arg;
	if (!reason_parse(arg, &o->stacks, &o->frames))
		return 0;
	return cli_fail(p,
			"--on %s: unknown reason; use any, truncated, failed, or a reason that "
			"'unspool report' prints",
			arg);
}

static int parse_match(struct cli_parse *p, const char *arg)
{
	struct capture_options *o = p->input;
	char why[128];
	int err;

	if (o->match)
		return cli_fail(p, "--match is given twice; use 'A|B'");
	err = regcomp(&o->regex, arg, REG_EXTENDED | REG_NOSUB);
	if (err) {
		regerror(err, &o->regex, why, sizeof(why));
		return cli_fail(p, "--match %s: %s", arg, why);
	}
	o->match = arg;
	return 0;
}

static int parse_count(struct cli_parse *p, const char *option, const char *arg, u32 max, u32 *out)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || n < 1 || n > max)
		return cli_fail(p, "%s %s: give a number from 1 to %u", option, arg, max);
	*out = (u32)n;
	return 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len > n && !strcmp(text + len - n, end);
}

static int parse_output(struct cli_parse *p, const char *arg)
{
	struct capture_options *o = p->input;

	if (!ends_with(arg, ".core") && !ends_with(arg, ".core.zst"))
		return cli_fail(p, "-o %s: unknown suffix; use NAME.core or NAME.core.zst", arg);
	o->output = arg;
	return 0;
}

static int parse_pid(struct cli_parse *p, const char *arg)
{
	struct capture_options *o = p->input;
	struct record_options *t = &o->target;
	u32 pid = 0;

	if (t->n_pids || t->n_names)
		return cli_fail(p, "-p is given twice; choose one process");
	if (!*arg || arg[strspn(arg, "0123456789")]) {
		t->names[t->n_names++] = arg;
		return 0;
	}
	if (parse_count(p, "-p", arg, 1 << 22, &pid))
		return EINVAL;
	t->pids = malloc(sizeof(*t->pids));
	if (!t->pids)
		return ENOMEM;
	t->pids[t->n_pids++] = (int)pid;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct cli_parse *p = state->input;
	struct capture_options *o = p->input;

	switch (key) {
	case 'p':
		return parse_pid(p, arg);
	case KEY_ON:
		return parse_on(p, arg);
	case KEY_MATCH:
		return parse_match(p, arg);
	case KEY_AT:
		return capture_at_parse(p, arg, &o->at);
	case 'n':
		return parse_count(p, "-n", arg, CAPTURE_MAX_CASES, &o->n);
	case 'F':
		return parse_count(p, "-F", arg, RECORD_MAX_HZ, &o->target.hz);
	case 'd':
		if (duration_parse(arg, &o->target.duration_ns))
			return cli_fail(p, "-d %s: not a time; write 30, 30s, 500ms, 2m or 1h",
					arg);
		return 0;
	case 'o':
		return parse_output(p, arg);
	case KEY_ASYNC:
		o->target.async = true;
		return 0;
	case KEY_RAW:
		o->raw = true;
		return 0;
	case KEY_MINIMAL:
		o->minimal = true;
		return 0;
	case 'q':
		o->target.quiet = true;
		return 0;
	case ARGP_KEY_END:
		if (!o->target.n_pids && !o->target.n_names)
			return cli_fail(p, "no process; add -p PID ('unspool ps' lists "
					   "processes)");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.doc = "Capture stacks of a running process as cases: all bytes that the kernel's walk "
	       "read, "
	       "and the memory around them. 'unspool-sim run' replays a case on any machine. The "
	       "process is never stopped. Private data is redacted.",
};

int capture_options_parse(int argc, char **argv, struct capture_options *o)
{
	*o = (struct capture_options){
		.target.hz = RECORD_DEFAULT_HZ, .stacks = REASON_ANY, .on = "any", .n = 1
	};
	return cli_parse_or_exit_status(&argp, argc, argv, o);
}

void capture_options_deinit(struct capture_options *o)
{
	if (o->match)
		regfree(&o->regex);
	capture_at_deinit(&o->at);
	record_options_deinit(&o->target);
}
