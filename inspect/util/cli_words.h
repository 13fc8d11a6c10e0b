/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs the command that a word on the command line selects: `unspool record`, `unspool flight cat`.
 */

#include <stddef.h>

#include "cli.h"

struct cli_words {
	const char *before; /* "unspool", "unspool flight" */
	const char *usage; /* for --help: the rest of the usage line, and a sentence */
	const struct cli_command *v;
	size_t n; /* at most CLI_MAX_WORDS */
};

#define CLI_MAX_WORDS 16

/**
 * cli_run_word() - run the command that argv[1] names
 * @argv:	argv[1] becomes the command's argv[0]
 *
 * Also handles --help, -h, --version and -V. Refuses an unknown word and suggests the nearest
 * one.
 *
 * Return: the command's exit status, or CLI_OK, CLI_USAGE.
 */
int cli_run_word(const struct cli_words *w, int argc, char **argv);
