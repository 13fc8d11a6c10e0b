/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Writes a suite of test cases in JUnit's XML format, which continuous integration systems read. */

#include "../../core/types.h"
#include "../../inspect/util/text_stream.h"

#include <stdio.h>

enum sim_outcome { SIM_PASSED, SIM_FAILED, SIM_CANNOT_RUN };

/* The result of a case in an engine. */
struct sim_verdict {
	const char *name, *arch, *engine;
	enum sim_outcome outcome;
	const char *words; /* the reason why the case did not pass; unused if it passed */
};

/* The cases are buffered in memory, because the number of cases is at the beginning of the file. */
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

/*
 * Writes the suite and frees the buffer; if @to is NULL, only frees the buffer. Return: 0 or
 * -ENOMEM.
 */
int sim_junit_end(struct sim_junit *j, const char *suite, FILE *to);
