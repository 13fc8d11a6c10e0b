/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The reason why loading or running a case failed, as text for the case's author. Functions
 * that return an errno set this text if the errno does not suffice.
 */

#define SIM_ERROR_LEN 320

struct sim_error {
	char text[SIM_ERROR_LEN]; /* one line without a newline, safe to print on a terminal */
};

/**
 * sim_fail() - set an error text
 * @error:	may be NULL
 * @err:	a negative errno
 *
 * Return: @err.
 */
int sim_fail(struct sim_error *error, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
