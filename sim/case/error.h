/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The reason why loading or running a case failed, as text for its author. Functions use it
 * if an errno does not suffice.
 */

#define SIM_ERROR_LEN 320

struct sim_error {
	char text[SIM_ERROR_LEN]; /* one line, no newline, safe on a terminal */
};

/**
 * sim_fail() - set an error text
 * @error:	NULL is fine
 * @err:	a negative errno
 *
 * Return: @err.
 */
int sim_fail(struct sim_error *error, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
