// SPDX-License-Identifier: BSD-2-Clause

#include "options.h"

#include "../case/bundled.h"
#include "../plugin/plugin.h"
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER 1000000

enum {
	KEY_JUNIT = 256,
	KEY_SHARD,
	KEY_FAIL_UNDER,
	KEY_UPDATE,
	KEY_PLUGIN,
	KEY_PLUGIN_TIMEOUT,
	KEY_GROUPS
};

static const struct argp_option argp_options[] = {
	{ "arch", 'A', "ARCH", 0, "x86_64, arm64 or all (default)", 0 },
	{ "engine", 'e', "ENGINE", 0,
	  "native (default), guest, kernel or all; for sweep also foreign (see -Dforeign)", 0 },
	{ "json", 'j', "FILE", 0, "Write JSON lines; if FILE is -, only these go to stdout", 0 },
	{ "junit", KEY_JUNIT, "FILE", 0, "Write JUnit XML; - is as for --json", 0 },
	{ "shard", KEY_SHARD, "I/N", 0, "Run only part I of N of the cases; I is from 1 to N", 0 },
	{ "fail-under", KEY_FAIL_UNDER, "PCT", 0,
	  "Fail if less than PCT percent of the results are right (default 100)", 0 },
	{ "update", KEY_UPDATE, NULL, 0, "Replace the expected results by the actual results", 0 },
	{ "plugin", KEY_PLUGIN, "PROGRAM", 0,
	  "Test an external unwinder instead of the engines (docs/guides/plugins.md)", 0 },
	{ "plugin-timeout", KEY_PLUGIN_TIMEOUT, "SECONDS", 0,
	  "Time in seconds that the plug-in may take for one stop (default 10)", 0 },
	{ "groups", KEY_GROUPS, "GROUP[,GROUP]...", 0,
	  "Groups of bundled stacks to which stack:all refers, or all; default: all, with --plugin "
	  "all except async",
	  0 },
	{ "quiet", 'q', NULL, 0, "Print only failures and the totals", 0 },
	{ 0 },
};

static const char *take_number(const char *text, u32 *out)
{
	unsigned long n;
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || n > MAX_NUMBER)
		return NULL;
	*out = (u32)n;
	return end;
}

bool sim_parse_u32(const char *text, u32 *out)
{
	const char *end = take_number(text, out);

	return end && !*end;
}

static int parse_shard(const char *text, struct sim_options *o)
{
	u32 i = 0, n = 0;
	const char *p = take_number(text, &i);

	if (!p || *p != '/' || !sim_parse_u32(p + 1, &n) || !i || i > n)
		return sim_usage("--shard needs I/N with I from 1 to N, not '%s'", text);
	o->shard = i - 1;
	o->n_shards = n;
	return 0;
}

static int parse_percent(const char *text, double *out)
{
	char *end;
	double pct = strtod(text, &end);

	if (end == text || *end || !(pct >= 0 && pct <= 100))
		return sim_usage("--fail-under needs a percentage from 0 to 100, not '%s'", text);
	*out = pct;
	return 0;
}

/* Sets the flag with the name @word, or all @n flags if @word is "all". */
static int choose(const char *option, const char *word, bool *flags, u32 n,
		  const char *(*name_of)(u32 idx))
{
	bool found = false;

	for (u32 i = 0; i < n; i++) {
		flags[i] = !strcmp(word, "all") || !strcmp(word, name_of(i));
		found |= flags[i];
	}
	return found ? 0 : sim_usage("--%s: unknown value '%s'; see --help", option, word);
}

static const char *arch_name(u32 idx)
{
	return sim_archs[idx]->name;
}

static const char *engine_name(u32 idx)
{
	return sim_engines[idx]->name;
}

static int add_case(struct sim_options *o, const char *path)
{
	struct sim_error error;
	int err;

	if (!strcmp(path, SIM_BUNDLED_PREFIX "all")) {
		o->has_all_stacks = true; /* added at the end, because --groups may follow */
		return 0;
	}
	err = sim_paths_add(&o->paths, path, &error);
	return err ? sim_refuse(err, error.text) : 0;
}

/* Returns the group with this name as a bit, or 0. */
static u32 group_of(const char *name, size_t len)
{
	const char *known;

	for (u32 bit = 1; (known = sim_bundled_group_name(bit)); bit <<= 1)
		if (strlen(known) == len && !memcmp(known, name, len))
			return bit;
	return 0;
}

static int refuse_group(const char *name, size_t len)
{
	char known[256] = "all";
	size_t used = strlen(known);
	const char *group;

	for (u32 bit = 1; (group = sim_bundled_group_name(bit)) && used < sizeof(known); bit <<= 1)
		used += (size_t)snprintf(known + used, sizeof(known) - used, ", %s", group);
	return sim_usage("--groups: unknown group '%.*s'; use some of %s", (int)len, name, known);
}

static int parse_groups(const char *list, struct sim_options *o)
{
	while (list) {
		size_t len = strcspn(list, ",");
		u32 bit = len == 3 && !memcmp(list, "all", 3) ? SIM_ALL_GROUPS
							      : group_of(list, len);

		if (!bit)
			return refuse_group(list, len);
		o->groups |= bit;
		list = list[len] ? list + len + 1 : NULL;
	}
	return 0;
}

/*
 * Adds the stacks of stack:all. The truth of stacks in the group async includes awaiters, which are
 * not on the stack, so ordinary unwinders don't report them.
 */
static int add_all_stacks(struct sim_options *o)
{
	u32 groups = o->groups;
	int err;

	if (!o->has_all_stacks)
		return groups ? sim_usage("--groups selects among the stacks of stack:all; add "
					  "stack:all")
			      : 0;
	if (!groups)
		groups = o->plugin ? ~group_of("async", strlen("async")) : SIM_ALL_GROUPS;
	err = sim_paths_add_groups(&o->paths, groups);
	return err ? sim_refuse(err, strerror(-err)) : 0;
}

/* Makes the checks that need all options. */
static int check(const struct sim_options *o, const char *command)
{
	if (!o->paths.n)
		return sim_usage(
			"no case given; use %s CASE|DIR..., or stack:all for the bundled stacks",
			command);
	if (o->is_update && (sim_is_strange(o) || !o->engines[0] || o->engines[1] || o->engines[2]))
		return sim_usage("--update needs the native engine and no other engine");
	if (o->json && o->junit && !strcmp(o->json, o->junit))
		return sim_usage("--json and --junit can't both write to %s",
				 strcmp(o->json, "-") ? o->json : "stdout");
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct sim_options *o = state->input;

	switch (key) {
	case 'A':
		return choose("arch", arg, o->archs, SIM_N_ARCHS, arch_name);
	case 'e':
		o->is_foreign = !strcmp(arg, "foreign");
		return o->is_foreign
			       ? 0
			       : choose("engine", arg, o->engines, SIM_N_ENGINES, engine_name);
	case 'j':
		o->json = arg;
		return 0;
	case KEY_JUNIT:
		o->junit = arg;
		return 0;
	case KEY_SHARD:
		return parse_shard(arg, o);
	case KEY_FAIL_UNDER:
		return parse_percent(arg, &o->fail_under);
	case KEY_UPDATE:
		o->is_update = true;
		return 0;
	case KEY_PLUGIN:
		o->plugin = arg;
		return 0;
	case KEY_GROUPS:
		return parse_groups(arg, o);
	case KEY_PLUGIN_TIMEOUT:
		return sim_parse_u32(arg, &o->plugin_timeout_s) && o->plugin_timeout_s &&
				       o->plugin_timeout_s <= PLUGIN_MAX_TIMEOUT_S
			       ? 0
			       : sim_usage("--plugin-timeout needs a number from 1 to %u, not '%s'",
					   PLUGIN_MAX_TIMEOUT_S, arg);
	case 'q':
		o->is_quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		return add_case(o, arg);
	case ARGP_KEY_END:
		return add_all_stacks(o) ?: check(o, state->argv[0]);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp sim_options_argp = { .options = argp_options, .parser = parse_option };

void sim_options_init(struct sim_options *out)
{
	*out = (struct sim_options){
		.archs = { true, true },
		.engines = { true },
		.n_shards = 1,
		.plugin_timeout_s = 10,
		.fail_under = 100,
	};
}

void sim_options_deinit(struct sim_options *o)
{
	sim_paths_deinit(&o->paths);
}

int sim_options_each(const struct sim_options *o,
		     int (*fn)(void *ctx, const char *path, const struct sim_arch *arch), void *ctx)
{
	int err = 0;

	for (u32 i = o->shard; i < o->paths.n && !err; i += o->n_shards)
		for (u32 a = 0; a < SIM_N_ARCHS && !err; a++)
			if (o->archs[a])
				err = fn(ctx, o->paths.at[i], sim_archs[a]);
	return err;
}
