/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Common parts of all sub-commands: exit statuses, the one-line error, and option parsing on
 * top of argp with one-line errors.
 */

#include <argp.h>

#include "../../core/types.h"

/* The first word of errors and of --version. */
extern const char *cli_program;

enum cli_exit {
	CLI_CONTINUE = -1, /* no exit status: the options are valid, run the command */
	CLI_OK = 0,
	CLI_FAILURE = 1, /* the command ran and found a failure */
	CLI_USAGE = 2,
	CLI_CANNOT_RUN = 3, /* a capability or a kernel feature is missing */
	CLI_LATE_FAILURE = 125, /* unspool failed after COMMAND was started */
	CLI_NOT_EXECUTABLE = 126, /* COMMAND is not executable; the same status as that of env(1) */
	CLI_NOT_FOUND = 127,
};

/* A sub-command. argv[0] is "unspool NAME"; the result is the exit status. */
struct cli_command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
};

/**
 * cli_error() - print a problem and its remedy in one line on stderr
 *
 * The line starts with cli_program. Characters that could harm a terminal are escaped.
 */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * cli_nearest() - guess the word that was meant
 * @word:	as typed
 * @candidates:	the valid words
 * @n:		their number
 *
 * Return: the candidate that differs in the fewest edits; NULL if none is near.
 */
const char *cli_nearest(const char *word, const char *const *candidates, size_t n);

#define CLI_ERROR_LEN 512

struct cli_field;

/*
 * The result of option parsing. Callbacks for options set the member error by calling cli_fail().
 */
struct cli_parse {
	void *input; /* the caller's options */
	const struct cli_field *fields; /* see cli_fields.h; NULL: the command has its own argp
					 * parser */
	char error[CLI_ERROR_LEN]; /* one line; empty if there was no error */
	bool done; /* --help or --version was printed: exit with CLI_OK */
};

/**
 * cli_parse() - parse options with argp, in the order given, without argp's multi-line errors
 * @argp:	the command's options, parser and doc, to which --help and --version are added. The
 *		parser's state->input is a struct cli_parse *
 * @p:		the caller sets @p->input; the rest is output
 *
 * Return: 0 (check @p->done), or -EINVAL or -ENOMEM with @p->error set; errors are not
 * printed.
 */
int cli_parse(const struct argp *argp, int argc, char **argv, struct cli_parse *p);

/*
 * Called by parsers: records the first error. Return: EINVAL, which the parser must return to argp.
 */
int cli_fail(struct cli_parse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * cli_parse_or_exit_status() - parse options and print errors, at the start of a command
 *
 * Return: CLI_CONTINUE, else the exit status; an error has been printed.
 */
int cli_parse_or_exit_status(const struct argp *argp, int argc, char **argv, void *input);

/* As cli_parse_or_exit_status(), but the caller may also set other members of @p than input. */
int cli_parse_status(const struct argp *argp, int argc, char **argv, struct cli_parse *p);
