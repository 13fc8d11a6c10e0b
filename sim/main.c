// SPDX-License-Identifier: BSD-2-Clause

/* unspool-sim: one binary, one sub-command a word. A command is a row of the table. */

#include "../inspect/util/array.h"
#include "../inspect/util/cli_words.h"
#include "cmd/cli.h"
#include "cmd/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct cli_command commands[] = {
	{ "run", "walk cases in engines, compare what is found and read", cmd_run },
	{ "sweep", "run cases, unwind at every instruction, compare with the truth", cmd_sweep },
	{ "show", "say what a fixture becomes on each architecture, what a recording holds",
	  cmd_show },
	{ "explain", "tell one walk step by step, and where it went wrong", cmd_explain },
	{ "add", "take recorded cases into fixtures/", cmd_add },
};

static const struct cli_words all = {
	.before = "unspool-sim",
	.usage = "COMMAND [OPTION]...\n"
		 "Unwinds simulated stacks with the code that the kernel runs.",
	.v = commands,
	.n = ARRAY_SIZE(commands),
};

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

int main(int argc, char **argv)
{
	cli_program = "unspool-sim";
	if (hold_standard_files()) {
		cli_error("can't open /dev/null");
		return CLI_FAILURE;
	}
	if (argc > 1 && !strcmp(argv[1], "help"))
		argv[1] = "--help";
	return sim_finish(cli_run_word(&all, argc, argv));
}
