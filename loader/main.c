/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * unspool: one binary; each subcommand is a row of the table.
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
	{ "top", "show where processes spend their CPU time now", cmd_top },
	{ "report", "print the contents of a profile", cmd_report },
	{ "diff", "print which functions changed between two profiles", cmd_diff },
	{ "convert", "write a profile in another format", cmd_convert },
	{ "capture", "write stacks of a process to files for replay", cmd_capture },
	{ "flight", "read the flight recorder, the log of the unwinder", cmd_flight },
	{ "ps", "list processes with runtime, version, CPU use and support", cmd_ps },
	{ "doctor", "check whether recording works here and how to fix it", cmd_doctor },
	{ "jitdump", "print, check, repair and convert jitdump files", cmd_jitdump },
};

static const struct cli_words all = {
	.before = "unspool",
	.usage = "COMMAND [OPTION]...\n"
		 "Shows where Node.js, .NET and native processes spend their CPU time.",
	.v = commands,
	.n = ARRAY_SIZE(commands),
};

/*
 * If stdout is closed, a file that is opened later could get the descriptor of stdout, and
 * then receive the output.
 */
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

/* Flushes stdout; a write error makes the command fail. */
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
	/*
	 * Makes malloc return the memory of large files to the system; it would retain up to
	 * 64 MiB.
	 */
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
