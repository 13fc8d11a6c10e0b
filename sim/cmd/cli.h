/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Wraps inspect/util/cli.h for commands that pass an input to their own option parser. */

#include "../../inspect/util/cli.h"

/* Stores the first error; for option parsers. Return: EINVAL, for argp. */
int sim_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Like sim_usage(), but for an error of sim_paths_add(). Return: ENOMEM if @err is -ENOMEM, else
 * EINVAL.
 */
int sim_refuse(int err, const char *words);

/*
 * Flushes stdout. Returns @status. If @status is 0 and the output could not be written, prints a
 * message and returns CLI_FAILURE.
 */
int sim_finish(int status);

/**
 * sim_parse() - parse options; handles --help and --version and exits
 *
 * Return: CLI_OK, or the exit status after a message.
 */
int sim_parse(const struct argp *argp, int argc, char **argv, void *input);
