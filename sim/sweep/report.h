/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The output of a sweep: a table, JSON lines, and a verdict for JUnit and GitHub. Each case is
 * reported when it is done.
 */

#include "../cmd/outputs.h"
#include "known.h"

struct report_case {
	const char *name;
	const struct sim_case *c; /* NULL if it could not be loaded */
	const char *arch;
	const char *engine;
	const struct sweep_result *result; /* NULL if the case could not be run */
	struct sim_error error; /* the reason why the case could not be loaded or run */
	enum sim_outcome outcome;
	struct known *known; /* the list of known misses; NULL: none */
	u32 n_new; /* places with misses that are not in the list; all if there is no list */
	bool is_updated; /* the list has been rewritten from @result */
};

#define REPORT_MAX_TOTALS 8

struct report {
	struct sim_outputs *out;
	u32 n_shown; /* maximum number of misses of each case in the table */
	bool is_quiet; /* omit passing cases from the table */
	/* internal: */
	bool has_header;
	struct report_total {
		const char *arch, *engine;
		u64 boundaries, exact, n_acceptable, n_lost_caller, n_frameless, n_pcs;
	} totals[REPORT_MAX_TOTALS];
	u32 n_cases, n_failed;
};

/* Reports a case. Return: 0 or -ENOMEM. Write errors are reported when the outputs are closed. */
int report_case(struct report *r, const struct report_case *rc);

/* Prints the totals. */
void report_end(struct report *r);

/* Describes the result of a walk whose frames or status are wrong. */
const char *sweep_miss_words(const struct sweep_miss *m);

/* Parts of report_case(). */
void report_table(struct report *r, const struct report_case *rc);
int report_json(FILE *f, const struct report_case *rc);
