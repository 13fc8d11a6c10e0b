// SPDX-License-Identifier: BSD-2-Clause

/*
 * `unspool record node -d 2` runs node with the option -d, as `unspool record COMMAND` runs any
 * command. But a user who types this probably wants to record a Node.js process that runs
 * already.
 */

#include <stdio.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/term.h"
#include "record.h"

static const char *const runtimes[] = { "node",	   "nodejs", "dotnet", "bun",  "deno",
					"python3", "python", "java",   "ruby", "php" };
/* Options of `unspool record` that none of these runtimes has. */
static const char *const own_options[] = { "-F",    "-o",	  "--freq",   "--rate", "--pid",
					   "--all", "--duration", "--output", "--tid",	"--async" };

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, list[i]))
			return true;
	return false;
}

/* "-d 2": no runtime has an option -d with a number. */
static bool is_duration(char *const *arg)
{
	return !strcmp(arg[0], "-d") && arg[1] && arg[1][0] >= '0' && arg[1][0] <= '9';
}

void recording_hint_runtime(const struct record_options *o)
{
	char *const *command = o->command;
	char word[256];

	if (o->quiet || !command || record_options_has_target(o) ||
	    !is_one_of(command[0], runtimes, ARRAY_SIZE(runtimes)))
		return;
	if (command[1] && !is_duration(command + 1) &&
	    !is_one_of(command[1], own_options, ARRAY_SIZE(own_options)))
		return;
	fprintf(stderr,
		"hint: this command starts another '%s'; to record a running one: unspool record "
		"-p %s",
		command[0], command[0]);
	for (size_t i = 1; command[i]; i++)
		fprintf(stderr, " %s", term_escape(command[i], word, sizeof(word)));
	fputc('\n', stderr);
}
