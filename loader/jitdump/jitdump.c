// SPDX-License-Identifier: BSD-2-Clause

/* `unspool jitdump`: look at, judge and mend what JITs write for perf. */

#include "jitdump.h"

#include <stdio.h>
#include <string.h>

#include "../commands.h"

static const struct cli_command words[] = {
	{ "dump", "print what a file holds", jitdump_dump },
	{ "check", "say what is wrong with it and what mends it", jitdump_check },
	{ "repair", "write it anew with all that can be mended", jitdump_repair },
	{ "to-perfmap", "write a perf map of what it names", jitdump_to_perfmap },
	{ "elf", "write its code as one ELF file with symbols and lines", jitdump_elf },
	{ "tail", "print code as it is compiled", jitdump_tail },
	{ "from-elf", "write the functions of an ELF file as a jitdump", jitdump_from_elf },
};

#define N_WORDS (sizeof(words) / sizeof(words[0]))

static int print_help(void)
{
	puts("Usage: unspool jitdump WORD [OPTION]... FILE\n"
	     "What JITs write for perf (jit-PID.dump): looks at it, judges it, mends it.\n");
	for (size_t i = 0; i < N_WORDS; i++)
		printf("  %-12s %s\n", words[i].name, words[i].help);
	puts("\n'unspool jitdump WORD --help' shows the options of a word.");
	return jitdump_flush();
}

static int refuse(const char *word)
{
	const char *names[N_WORDS], *near;

	for (size_t i = 0; i < N_WORDS; i++)
		names[i] = words[i].name;
	near = cli_nearest(word, names, N_WORDS);
	if (near)
		cli_error("jitdump does not know '%s'; did you mean 'unspool jitdump %s'?", word,
			  near);
	else
		cli_error("jitdump does not know '%s'; 'unspool jitdump --help' lists the words",
			  word);
	return CLI_USAGE;
}

int cmd_jitdump(int argc, char **argv)
{
	char name[64];

	if (argc < 2) {
		cli_error("what of a jitdump? 'unspool jitdump --help' lists the words");
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("unspool " UNSPOOL_VERSION);
		return jitdump_flush();
	}
	for (size_t i = 0; i < N_WORDS; i++) {
		if (strcmp(argv[1], words[i].name))
			continue;
		snprintf(name, sizeof(name), "unspool jitdump %s", words[i].name);
		argv[1] = name;
		return words[i].run(argc - 1, argv + 1);
	}
	return refuse(argv[1]);
}
