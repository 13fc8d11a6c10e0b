/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* inspect/util/cli.h for commands that pass the input of their own parser. */

#include "../../inspect/util/cli.h"

/* For option parsers: store the first error. Return: EINVAL, for argp. */
int sim_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same for an error of sim_paths_add(). Return: ENOMEM if @err is -ENOMEM, else EINVAL. */
int sim_refuse(int err, const char *words);

/* Returns @status, or a failure, with a message, if stdout could not be written. */
int sim_finish(int status);

/**
 * sim_parse() - parse options; handles --help and --version and exits
 *
 * Return: CLI_OK, or the exit status after a message.
 */
int sim_parse(const struct argp *argp, int argc, char **argv, void *input);
