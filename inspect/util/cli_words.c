// SPDX-License-Identifier: BSD-2-Clause

#include "cli_words.h"

#include <stdio.h>
#include <string.h>

static int print_help(const struct cli_words *w)
{
	printf("Usage: %s %s\n\n", w->before, w->usage);
	for (size_t i = 0; i < w->n; i++)
		printf("  %-12s %s\n", w->v[i].name, w->v[i].help);
	printf("\n'%s NAME --help' shows the options of a command.\n", w->before);
	return CLI_OK;
}

static int report_unknown(const struct cli_words *w, const char *word)
{
	const char *names[CLI_MAX_WORDS], *near;

	for (size_t i = 0; i < w->n; i++)
		names[i] = w->v[i].name;
	near = cli_nearest(word, names, w->n);
	if (near)
		cli_error("unknown command '%s %s'; did you mean '%s %s'?", w->before, word,
			  w->before, near);
	else
		cli_error("unknown command '%s %s'; '%s --help' lists the commands", w->before,
			  word, w->before);
	return CLI_USAGE;
}

static int run(const struct cli_words *w, const struct cli_command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "%s %s", w->before, command->name);
	argv[1] = name;
	return command->run(argc - 1, argv + 1);
}

int cli_run_word(const struct cli_words *w, int argc, char **argv)
{
	if (argc < 2) {
		cli_error("missing command; '%s --help' lists the commands", w->before);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help(w);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("%s %s\n", cli_program, UNSPOOL_VERSION);
		return CLI_OK;
	}
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(argv[1], w->v[i].name))
			return run(w, &w->v[i], argc, argv);
	return report_unknown(w, argv[1]);
}
