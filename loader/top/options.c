/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"

#include <stddef.h>
#include <string.h>

#include "../cli/duration.h"
#include "../cli/size.h"
#include "../cli/target_options.h"

#define MAX_ROWS 1000000
#define DEFAULT_MAX_PROFILE (64ull << 20)

_Static_assert(offsetof(struct top_options, record) == 0,
	       "the parser of the shared options gets a pointer to the member");

enum { KEY_INTERVAL = 0x100, KEY_TABLE, KEY_SORT, KEY_FILTER, KEY_TOP, KEY_MAX_PROFILE };

static const struct argp_option options[] = {
	{ "interval", KEY_INTERVAL, "TIME", 0,
	  "Time between two tables (default: 1s on a terminal, else 10s)", 3 },
	{ "table", KEY_TABLE, "WORD", 0, "Show functions, processes or threads", 3 },
	{ "sort", KEY_SORT, "WORD", 0, "Sort by self, total or name", 3 },
	{ "filter", KEY_FILTER, "TEXT", 0, "Show only rows with TEXT in the name or place", 3 },
	{ "top", KEY_TOP, "N", 0,
	  "Show at most N rows (default: on a terminal all that fit, else 20)", 3 },
	{ "max-profile", KEY_MAX_PROFILE, "SIZE", 0,
	  "Discard the profile when it is larger, in bytes or with suffix k, M or G (default 64M)",
	  3 },
	{ 0 },
};

static error_t set_word(struct cli_parse *p, const char *option, const char *arg,
			const char *const *words, u32 n, u32 *out)
{
	for (u32 i = 0; i < n; i++) {
		if (strcmp(arg, words[i]) == 0) {
			*out = i;
			return 0;
		}
	}
	return cli_fail(p, "%s: '%s' is unknown; use %s, %s or %s", option, arg, words[0], words[1],
			words[2]);
}
_Static_assert(TOP_N_TABLES == 3 && TOP_N_ORDERS == 3, "the error message lists three words");

static error_t set_interval(struct cli_parse *p, struct top_options *o, const char *arg)
{
	if (duration_parse(arg, &o->interval_ns))
		return cli_fail(p, "--interval: '%s' is not a time; write 10, 2s or 1m", arg);
	return 0;
}

static error_t set_filter(struct cli_parse *p, struct top_options *o, const char *arg)
{
	size_t len = strlen(arg);

	if (len >= sizeof(o->choice.filter))
		return cli_fail(p, "--filter: the text is longer than %zu bytes",
				sizeof(o->choice.filter) - 1);
	memcpy(o->choice.filter, arg, len + 1);
	return 0;
}

static error_t set_rows(struct cli_parse *p, struct top_options *o, const char *arg)
{
	int n;

	if (option_number(arg, strlen(arg), 1, MAX_ROWS, &n))
		return cli_fail(p, "--top: '%s' is no number from 1 to %d", arg, MAX_ROWS);
	o->choice.rows = (u32)n;
	return 0;
}

static error_t set_max_profile(struct cli_parse *p, struct top_options *o, const char *arg)
{
	if (size_parse(arg, RECORD_MAX_MEMORY, &o->max_profile))
		return cli_fail(p, "--max-profile %s: give an amount up to 1G, such as 64M", arg);
	return 0;
}

/* Without a target, all processes are recorded. */
static void complete(struct record_options *o)
{
	o->all |= !record_options_has_target(o) && !o->command;
	o->quiet = true;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct cli_parse *p = state->input;
	struct top_options *o = p->input;
	u32 word = 0;
	error_t err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = p;
		return 0;
	case KEY_INTERVAL:
		return set_interval(p, o, arg);
	case KEY_TABLE:
		err = set_word(p, "--table", arg, top_table_names, TOP_N_TABLES, &word);
		o->choice.table = word;
		return err;
	case KEY_SORT:
		err = set_word(p, "--sort", arg, top_order_names, TOP_N_ORDERS, &word);
		o->choice.order = word;
		return err;
	case KEY_FILTER:
		return set_filter(p, o, arg);
	case KEY_TOP:
		return set_rows(p, o, arg);
	case KEY_MAX_PROFILE:
		return set_max_profile(p, o, arg);
	case ARGP_KEY_END:
		complete(&o->record);
		return 0;
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
	.doc = "Show where processes spend their CPU time: a table of the last 10 seconds, by "
	       "default "
	       "of all processes. Without a terminal, print the table again and again.\v"
	       "Keys: q quits; f, p and t show functions, processes and threads; o changes the "
	       "order; / filters by a part of a name or place; space freezes the table and "
	       "continues; s writes the profile recorded so far to a file; the arrow keys scroll.",
};

int top_options_parse(int argc, char **argv, struct top_options *o, struct cli_parse *p)
{
	*o = (struct top_options){ .max_profile = DEFAULT_MAX_PROFILE };
	record_options_init(&o->record);
	p->input = o;
	return cli_parse(&argp, argc, argv, p);
}
