/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Checks whether this machine can record. Trials make the system calls that recording needs,
 * and so decide whether recording works. Facts from /proc and /sys only explain why a trial
 * failed.
 */

#include "../../core/types.h"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* recording works, but with less detail */
	DOCTOR_MISSING, /* recording can't work */
};

struct doctor_finding {
	const char *check;
	enum doctor_state state;
	char text[200];
	char mend[200]; /* the smallest command that fixes it, or "" */
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

/* The first cause that prevents recording; NULL if recording works. */
const struct doctor_finding *doctor_first_missing(const struct doctor_report *r);

/**
 * doctor_why_not() - explain in one line why recording fails and how to fix it
 * @buf:	written in any case, "" when nothing is missing
 *
 * Return: whether something is missing.
 */
bool doctor_why_not(char *buf, size_t size);

/**
 * doctor_why_unreadable() - explain in one line why another process can't be read
 * @err:	the negative errno of the read
 * @buf:	written in any case
 */
void doctor_why_unreadable(int err, char *buf, size_t size);

const char *doctor_state_name(enum doctor_state state);
