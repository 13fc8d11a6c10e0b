/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../cli/record_options.h"
#include "at.h"

#include <regex.h>

#define CAPTURE_MAX_CASES 100000

/* The options of `unspool capture`. Strings are borrowed from argv. */
struct capture_options {
	struct record_options target; /* pids and names, hz, duration; quiet */
	const char *output; /* NULL: a generated name */
	u64 stacks; /* a stack is wanted if it ends with one of these; a bit for each enum
		     * uw_status */
	u64 frames; /* a wanted stack has a frame with one of these, a bit for each enum uw_status;
		     * 0: any stack */
	const char *on; /* as typed */
	const char *match;
	regex_t regex; /* valid if match is set */
	struct capture_at at; /* --at: sample at instructions, not by time */
	u32 n;
	bool raw, minimal;
};

/**
 * capture_options_parse() - parse the command line of `unspool capture`
 * @o:	filled; free with capture_options_deinit(), also after an error
 *
 * Return: CLI_CONTINUE, else the exit status, with an error printed.
 */
int capture_options_parse(int argc, char **argv, struct capture_options *o);
void capture_options_deinit(struct capture_options *o);
