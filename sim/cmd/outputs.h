/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Who is told what a command finds: people (stdout), programs (--json, --junit), and
 * GitHub, which shows certain lines beside the change. Where stdout is a program's,
 * people get nothing and GitHub's lines go to stderr.
 */

#include "junit.h"
#include "options.h"
#include "../../inspect/util/whole_file.h"

struct sim_outputs {
	const char *command; /* "run" */
	FILE *people; /* never NULL */
	FILE *json; /* NULL: not wanted */
	FILE *github; /* NULL: not there */
	struct whole_file json_file, junit_file;
	struct sim_junit junit;
};

/**
 * sim_outputs_open() - open all that is wanted, before any work is done
 * @out:	ends with sim_outputs_close()
 *
 * Return: 0, or a negative errno after a complaint.
 */
int sim_outputs_open(const char *command, const struct sim_options *o, struct sim_outputs *out);

/**
 * sim_outputs_verdict() - tell what became of a case in an engine
 *
 * Return: 0 or -ENOMEM. What can't be written is told at the end.
 */
int sim_outputs_verdict(struct sim_outputs *o, const struct sim_verdict *v);

/**
 * sim_outputs_close() - complete the files
 * @is_whole:	false: the work was not done, no file appears
 *
 * Return: 0, or a negative errno after a complaint.
 */
int sim_outputs_close(struct sim_outputs *o, bool is_whole);
