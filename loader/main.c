/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * unspool: one binary, one sub-command a word. A command is a row of the table.
 */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../inspect/util/array.h"
#include "../inspect/util/text_stream.h"
#include "../inspect/util/cli_words.h"
#include "commands.h"

#define MAX_KEPT_LEN (256 << 10)

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

static const struct cli_words all = {
	.before = "unspool",
	.usage = "COMMAND [OPTION]...\n"
		 "Shows where Node.js, .NET and native processes spend their CPU time.",
	.v = commands,
	.n = ARRAY_SIZE(commands),
};

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

int main(int argc, char **argv)
{
	/* What a large file took goes back when it was read; else 64 MiB of that may stay. */
	mallopt(M_MMAP_THRESHOLD, MAX_KEPT_LEN);
	mallopt(M_TRIM_THRESHOLD, MAX_KEPT_LEN);
	if (!open_standard_files()) {
		cli_error("can't open /dev/null: %s", strerror(errno));
		return CLI_CANNOT_RUN;
	}
	if (argc > 1 && !strcmp(argv[1], "help"))
		argv[1] = "--help";
	return finish(cli_run_word(&all, argc, argv));
}
