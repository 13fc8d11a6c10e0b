/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* inspect/util/cli.h for commands whose parsers' input is what the command gives. */

#include "../../inspect/util/cli.h"

/* For option parsers: keep the first error. Return: EINVAL, for argp. */
int sim_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same for what sim_paths_add() refused. Return: ENOMEM where @err says so, else EINVAL. */
int sim_refuse(int err, const char *words);

/* @status, or a failure that is told where what was printed has not arrived. */
int sim_finish(int status);

/**
 * sim_parse() - parse options; --help and --version print and exit
 *
 * Return: CLI_OK, or the exit status after an error was printed.
 */
int sim_parse(const struct argp *argp, int argc, char **argv, void *input);
