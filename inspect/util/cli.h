/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What all sub-commands share: exit statuses, the one-line error, and option
 * parsing on top of argp that ends in one line too.
 */

#include <argp.h>

#include "../../core/types.h"

/* Begins errors and --version. */
extern const char *cli_program;

enum cli_exit {
	CLI_OK = 0,
	CLI_FAILURE = 1, /* the work found a failure */
	CLI_USAGE = 2,
	CLI_CANNOT_RUN = 3, /* here: a capability, a kernel feature is missing */
	CLI_LATE_FAILURE = 125, /* of unspool itself, after COMMAND was started */
	CLI_NOT_EXECUTABLE = 126, /* COMMAND; as env(1) */
	CLI_NOT_FOUND = 127,
};

/* A sub-command. argv[0] is "unspool NAME"; the result is the exit status. */
struct cli_command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
};

/**
 * cli_error() - say in one line on stderr what is wrong and how to mend it
 *
 * cli_program comes first. What would harm a terminal is escaped.
 */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * cli_nearest() - the word that was probably meant
 * @word:	what was typed
 * @candidates:	words that exist
 * @n:		how many
 *
 * Return: the candidate with the fewest edits, NULL when none is near.
 */
const char *cli_nearest(const char *word, const char *const *candidates, size_t n);

#define CLI_ERROR_LEN 512

struct cli_field;

/* The outcome of option parsing. Options' callbacks fill error through cli_fail(). */
struct cli_parse {
	void *input; /* the caller's options */
	const struct cli_field *fields; /* of cli_fields.h, NULL: the command has a parser */
	char error[CLI_ERROR_LEN]; /* one line, empty when all is well */
	bool done; /* --help or --version was printed: exit with CLI_OK */
};

/**
 * cli_parse() - parse options with argp, in order, without its multi-line errors
 * @argp:	options, parser and doc; --help and --version are added. The parser's
 *		state->input is a struct cli_parse *
 * @p:		@p->input is the caller's; the rest is written here
 *
 * Return: 0 (look at @p->done), or -EINVAL or -ENOMEM with @p->error set;
 * nothing is printed on an error.
 */
int cli_parse(const struct argp *argp, int argc, char **argv, struct cli_parse *p);

/* For parsers: keep the first error. Return: EINVAL, to be returned to argp. */
int cli_fail(struct cli_parse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * cli_parse_or_exit_status() - cli_parse() for a command's first lines
 *
 * Return: -1 to go on, else the exit status; an error has been printed.
 */
int cli_parse_or_exit_status(const struct argp *argp, int argc, char **argv, void *input);

/* The same, with more in @p than its input. */
int cli_parse_status(const struct argp *argp, int argc, char **argv, struct cli_parse *p);
