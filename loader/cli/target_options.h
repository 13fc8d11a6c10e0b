/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The options that select targets and determine how they are sampled. */

#include "record_options.h"

#define OPTION_MAX_PID (1 << 22) /* PID_MAX_LIMIT, include/linux/threads.h at v6.12 */

/*
 * A child parser for argp. Its input is a struct cli_parse whose input is a struct record_options;
 * it sets the members from pids to duration_ns of that struct.
 */
extern const struct argp target_options;

/**
 * option_number() - parse decimal digits
 * @number:	the value, from @min to @max
 *
 * Return: 0, -EINVAL (not only digits) or -ERANGE.
 */
int option_number(const char *text, size_t len, long min, long max, int *number);
