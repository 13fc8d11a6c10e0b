// SPDX-License-Identifier: BSD-2-Clause

/* unspool-sim: one binary, one sub-command a word. A command is a row of the table. */

#include "../inspect/util/array.h"
#include "cmd/cli.h"
#include "cmd/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{ "run", "walk cases in engines, compare what is found and read", cmd_run },
	{ "sweep", "run cases, unwind at every instruction, compare with the truth", cmd_sweep },
	{ "show", "say what a fixture becomes on each architecture, what a recording holds",
	  cmd_show },
	{ "explain", "tell one walk step by step, and where it went wrong", cmd_explain },
	{ "add", "take recorded cases into fixtures/", cmd_add },
};

#define N_COMMANDS ARRAY_SIZE(commands)

static int print_help(void)
{
	puts("Usage: unspool-sim COMMAND [OPTION]...\n"
	     "Unwinds simulated stacks with the code that the kernel runs.\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].help);
	puts("\n'unspool-sim COMMAND --help' shows the options of a command.");
	return SIM_EXIT_OK;
}

/*
 * A standard file that is closed would give its number, and what is printed, to the
 * next file that is opened. What holds the place of an output can't be written.
 */
static int hold_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return -EBADF;
	return 0;
}

static int run(int argc, char **argv)
{
	char name[32];

	if (argc < 2) {
		sim_complain("a command is missing; 'unspool-sim --help' lists them");
		return SIM_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts(argp_program_version);
		return SIM_EXIT_OK;
	}
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		snprintf(name, sizeof(name), "unspool-sim %s", commands[i].name);
		argv[1] = name;
		return commands[i].run(argc - 1, argv + 1);
	}
	sim_complain("there is no command '%s'; 'unspool-sim --help' lists them", argv[1]);
	return SIM_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	if (hold_standard_files()) {
		sim_complain("can't open /dev/null");
		return SIM_EXIT_FAILURE;
	}
	return sim_finish(run(argc, argv));
}
