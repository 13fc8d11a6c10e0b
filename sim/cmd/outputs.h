/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The outputs of a command: text on stdout, files for programs (--json, --junit), and annotations
 * that GitHub shows beside a change. If one of the files is written to stdout, no text is
 * printed, and the annotations go to stderr.
 */

#include "junit.h"
#include "options.h"
#include "../../inspect/util/whole_file.h"

struct sim_outputs {
	const char *command; /* "run" */
	FILE *people; /* never NULL */
	FILE *json; /* NULL: not requested */
	FILE *github; /* NULL: not in a GitHub workflow */
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
 * Return: 0 or -ENOMEM. sim_outputs_close() reports write errors.
 */
int sim_outputs_verdict(struct sim_outputs *o, const struct sim_verdict *v);

/**
 * sim_outputs_close() - complete and close the outputs
 * @is_whole:	false: the command did not complete its work, so no files are created
 *
 * Return: 0, or a negative errno after a message.
 */
int sim_outputs_close(struct sim_outputs *o, bool is_whole);
