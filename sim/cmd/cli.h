/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the sub-commands share: exit statuses, one line for an error. */

#include <argp.h>

enum sim_exit {
	SIM_EXIT_OK = 0,
	SIM_EXIT_FAILURE = 1, /* the work found a failure */
	SIM_EXIT_USAGE = 2,
	SIM_EXIT_CANNOT_RUN = 3, /* an engine that is not available here */
};

/* One line on stderr, "unspool-sim: " first; what would drive a terminal is escaped. */
void sim_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* For option parsers: complain, once. Return: EINVAL, for argp. */
int sim_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same for what sim_paths_add() refused. Return: ENOMEM where @err says so, else EINVAL. */
int sim_refuse(int err, const char *words);

/* @status, or a failure that is told where what was printed has not arrived. */
int sim_finish(int status);

/**
 * sim_parse() - parse options; --help and --version print and exit
 *
 * Return: 0, or after one line was printed SIM_EXIT_USAGE, or SIM_EXIT_FAILURE where memory
 *         is short.
 */
int sim_parse(const struct argp *argp, int argc, char **argv, void *input);
