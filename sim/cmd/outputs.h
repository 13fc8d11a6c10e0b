/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The outputs of a command: text for people (stdout), files for programs (--json, --junit), and
 * annotations for GitHub, which shows them beside the change. If a file is written to stdout,
 * there is no text, and GitHub's annotations go to stderr.
 */

#include "junit.h"
#include "options.h"
#include "../../inspect/util/whole_file.h"

struct sim_outputs {
	const char *command; /* "run" */
	FILE *people; /* never NULL */
	FILE *json; /* NULL: not requested */
	FILE *github; /* NULL: not run by GitHub */
	struct whole_file json_file, junit_file;
	struct sim_junit junit;
};

/**
 * sim_outputs_open() - open all requested outputs, before any work is done
 * @out:	freed by sim_outputs_close()
 *
 * Return: 0, or a negative errno after a message.
 */
int sim_outputs_open(const char *command, const struct sim_options *o, struct sim_outputs *out);

/**
 * sim_outputs_verdict() - report the result of a case in an engine
 *
 * Return: 0 or -ENOMEM. Write errors are reported at the end.
 */
int sim_outputs_verdict(struct sim_outputs *o, const struct sim_verdict *v);

/**
 * sim_outputs_close() - complete the files
 * @is_whole:	false: the work was not completed, so no file is created
 *
 * Return: 0, or a negative errno after a message.
 */
int sim_outputs_close(struct sim_outputs *o, bool is_whole);
