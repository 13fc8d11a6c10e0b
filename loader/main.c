/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * unspool: one binary, one sub-command a word. A command is a row of the table.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../inspect/util/text_stream.h"
#include "cli/cli.h"
#include "commands.h"

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct cli_command commands[] = {
	{ "record", "sample processes and write a profile", cmd_record },
	{ "report", "show what a profile holds", cmd_report },
	{ "convert", "write a profile in another format", cmd_convert },
	{ "capture", "write stacks of a process as cases to replay", cmd_capture },
	{ "flight", "read the flight recorder: what the unwinder did", cmd_flight },
	{ "ps", "processes with runtime, version, CPU, and what is supported", cmd_ps },
	{ "doctor", "what this machine allows, what is missing, what mends it", cmd_doctor },
	{ "jitdump", "look at, judge and mend what JITs write for perf", cmd_jitdump },
};

static int print_help(void)
{
	puts("Usage: unspool COMMAND [OPTION]...\n"
	     "Shows where Node.js, .NET and native processes spend their CPU time.\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		printf("  %-9s %s\n", commands[i].name, commands[i].help);
	puts("\n'unspool COMMAND --help' shows the options of a command.");
	return CLI_OK;
}

static int refuse(const char *word)
{
	const char *names[N_COMMANDS], *near;

	for (size_t i = 0; i < N_COMMANDS; i++)
		names[i] = commands[i].name;
	near = cli_nearest(word, names, N_COMMANDS);
	if (near)
		cli_error("there is no command '%s'; did you mean 'unspool %s'?", word, near);
	else
		cli_error("there is no command '%s'; 'unspool --help' lists them", word);
	return CLI_USAGE;
}

/* Else a file that is opened gets the number of a closed stdout, and its text. */
static bool open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* What was printed has arrived, or the command has failed. */
static int finish(int status)
{
	int err = text_stream_flush(stdout);

	if (!err || status)
		return status;
	cli_error("can't write to standard output: %s", strerror(-err));
	return CLI_FAILURE;
}

static int run(int argc, char **argv)
{
	char name[32];

	if (argc < 2) {
		cli_error("a command is missing; 'unspool --help' lists them");
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("unspool " UNSPOOL_VERSION);
		return CLI_OK;
	}
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		snprintf(name, sizeof(name), "unspool %s", commands[i].name);
		argv[1] = name;
		return commands[i].run(argc - 1, argv + 1);
	}
	return refuse(argv[1]);
}

int main(int argc, char **argv)
{
	if (!open_standard_files()) {
		cli_error("can't open /dev/null: %s", strerror(errno));
		return CLI_CANNOT_RUN;
	}
	return finish(run(argc, argv));
}
