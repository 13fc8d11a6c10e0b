/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What this machine allows. Facts are read, and what can be tried is tried with
 * the very system calls that recording needs; a trial decides, facts explain.
 */

#include "../../core/types.h"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* recording works, with less to see */
	DOCTOR_MISSING, /* recording can't work */
};

struct doctor_finding {
	const char *check;
	enum doctor_state state;
	char text[200];
	char mend[200]; /* the smallest command that mends it, or "" */
};

#define DOCTOR_MAX_FINDINGS 24

struct doctor_report {
	struct doctor_finding findings[DOCTOR_MAX_FINDINGS];
	size_t n;
};

/**
 * doctor_examine() - examine this machine for this process
 * @r:	filled, causes before their effects
 *
 * Raises RLIMIT_MEMLOCK on kernels before 5.11, where maps count against it.
 */
void doctor_examine(struct doctor_report *r);

/* What is missing, first cause first; NULL when recording can work. */
const struct doctor_finding *doctor_first_missing(const struct doctor_report *r);

/**
 * doctor_why_not() - one line on why recording can't work, and what mends it
 * @buf:	written in any case, "" when nothing is missing
 *
 * Return: whether something is missing.
 */
bool doctor_why_not(char *buf, size_t size);

/**
 * doctor_why_unreadable() - one line on why another process can't be read
 * @err:	what reading it gave, a negative errno
 * @buf:	written in any case
 */
void doctor_why_unreadable(int err, char *buf, size_t size);

const char *doctor_state_name(enum doctor_state state);
