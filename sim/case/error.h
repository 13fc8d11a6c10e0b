/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Why something about a case went wrong, in words for its author. Functions that
 * can say more than an errno fill one of these.
 */

#define SIM_ERROR_LEN 320

struct sim_error {
	char text[SIM_ERROR_LEN]; /* one line, no newline, safe on a terminal */
};

/**
 * sim_fail() - say what is wrong
 * @error:	NULL is fine
 * @err:	a negative errno
 *
 * Return: @err.
 */
int sim_fail(struct sim_error *error, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
