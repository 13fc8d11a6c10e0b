/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A word on the command line that chooses what is run: `unspool record`, `unspool flight cat`. */

#include <stddef.h>

#include "cli.h"

struct cli_words {
	const char *before; /* "unspool", "unspool flight" */
	const char *usage; /* what follows it, and a sentence: the head of --help */
	const struct cli_command *v;
	size_t n; /* at most CLI_MAX_WORDS */
};

#define CLI_MAX_WORDS 16

/**
 * cli_run_word() - run the command that argv[1] names
 * @argv:	argv[1] becomes the command's argv[0]
 *
 * --help, -h, --version and -V are answered here; a word that is none is refused with
 * the nearest one.
 *
 * Return: the command's exit status, or CLI_OK, CLI_USAGE.
 */
int cli_run_word(const struct cli_words *w, int argc, char **argv);
