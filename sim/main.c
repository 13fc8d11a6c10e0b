// SPDX-License-Identifier: BSD-2-Clause

/* unspool-sim: one program with sub-commands. Each command is an entry of the table. */

#include "../inspect/util/array.h"
#include "../inspect/util/cli_words.h"
#include "cmd/cli.h"
#include "cmd/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct cli_command commands[] = {
	{ "run", "walk cases in engines, and compare frames and reads", cmd_run },
	{ "sweep", "run cases, unwind at every instruction, and compare with the true stack",
	  cmd_sweep },
	{ "show", "print the case that a fixture makes, or the contents of a recording", cmd_show },
	{ "explain", "explain one walk step by step, and show where it is wrong", cmd_explain },
	{ "add", "add recorded cases to fixtures/", cmd_add },
};

static const struct cli_words all = {
	.before = "unspool-sim",
	.usage = "COMMAND [OPTION]...\n"
		 "Unwinds simulated stacks with the code that the kernel runs.",
	.v = commands,
	.n = ARRAY_SIZE(commands),
};

/*
 * If a standard file is closed, the next file that is opened would get the descriptor of the
 * standard file, and so receive the output. Therefore each closed standard descriptor is opened
 * in the wrong direction, so that every use of it fails.
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
