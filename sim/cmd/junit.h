/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What JUnit's readers (continuous integration) know: a suite of test cases. */

#include "../../core/types.h"
#include "../../inspect/util/text_stream.h"

#include <stdio.h>

enum sim_outcome { SIM_PASSED, SIM_FAILED, SIM_CANNOT_RUN };

/* One case in one engine. */
struct sim_verdict {
	const char *name, *arch, *engine;
	enum sim_outcome outcome;
	const char *words; /* why it did not pass; not used when it did */
};

/* The cases are kept in memory: their number comes first in the file. */
struct sim_junit {
	u32 n, n_failed, n_skipped;
	FILE *body;
	struct text_stream text;
};

/**
 * sim_junit_add() - add a case
 * @j:		zero at first, ends with sim_junit_end()
 *
 * Return: 0 or -ENOMEM.
 */
int sim_junit_add(struct sim_junit *j, const struct sim_verdict *v);

/* Writes the suite and frees what was kept; @to NULL: only frees. Return: 0 or -ENOMEM. */
int sim_junit_end(struct sim_junit *j, const char *suite, FILE *to);
