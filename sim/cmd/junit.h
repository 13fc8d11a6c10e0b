/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* JUnit's XML format, which continuous integration reads: a suite of test cases. */

#include "../../core/types.h"
#include "../../inspect/util/text_stream.h"

#include <stdio.h>

enum sim_outcome { SIM_PASSED, SIM_FAILED, SIM_CANNOT_RUN };

/* One case in one engine. */
struct sim_verdict {
	const char *name, *arch, *engine;
	enum sim_outcome outcome;
	const char *words; /* reason why the case did not pass; unused if it passed */
};

/* The cases are buffered in memory, because their number comes first in the file. */
struct sim_junit {
	u32 n, n_failed, n_skipped;
	FILE *body;
	struct text_stream text;
};

/**
 * sim_junit_add() - add a case
 * @j:		initially zero; freed by sim_junit_end()
 *
 * Return: 0 or -ENOMEM.
 */
int sim_junit_add(struct sim_junit *j, const struct sim_verdict *v);

/* Writes the suite and frees the buffer; @to NULL: only frees. Return: 0 or -ENOMEM. */
int sim_junit_end(struct sim_junit *j, const char *suite, FILE *to);
