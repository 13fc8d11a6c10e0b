/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A table of options: each option, and also the argument, sets a member of the command's struct. */

#include <stddef.h>

#include "cli.h"

struct cli_field {
	int key; /* as in struct argp_option, or ARGP_KEY_ARG for the argument */
	size_t off; /* offset of the member in the command's struct */
	error_t (*set)(struct cli_parse *p, const char *arg, void *member); /* a setter such as
									     * cli_set_text() */
	const char *missing; /* for a pointer: the error message if the member is NULL after
			      * parsing */
};

/* Setters for members of type bool and const char *. Return: 0, or the result of cli_fail(). */
error_t cli_set_flag(struct cli_parse *p, const char *arg, void *member);
error_t cli_set_text(struct cli_parse *p, const char *arg, void *member);

/*
 * Called by setters: set @out to the index of @arg in @words, or to a number from 1 to @max.
 * @option is the name of the option in the error message. Return: 0, or the result of cli_fail().
 */
error_t cli_set_word(struct cli_parse *p, const char *option, const char *arg,
		     const char *const *words, u32 n, u32 *out);
error_t cli_set_number(struct cli_parse *p, const char *option, const char *arg, u32 max, u32 *out);

/**
 * cli_set_fields() - parse options into a struct, at the start of a command
 * @argp:	has no parser; if the command takes an argument, args_doc starts with its name
 * @fields:	end with { 0 }
 * @input:	the struct
 *
 * Return: CLI_CONTINUE, else the exit status; an error has been printed.
 */
int cli_set_fields(const struct argp *argp, const struct cli_field *fields, int argc, char **argv,
		   void *input);
