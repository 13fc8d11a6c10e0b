/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What a sweep says: a table for people, JSON lines, a verdict for JUnit and GitHub.
 * Each case is reported when it is done.
 */

#include "../cmd/outputs.h"
#include "known.h"

struct report_case {
	const char *name;
	const struct sim_case *c; /* NULL when it could not be loaded */
	const char *arch;
	const char *engine;
	const struct sweep_result *result; /* NULL: it could not be run */
	struct sim_error error; /* why not */
	enum sim_outcome outcome;
	struct known *known; /* the list of known misses; NULL: there is none */
	u32 n_new; /* places that are not in it; without a list all */
	bool is_updated; /* the list was written anew, from @result */
};

#define REPORT_MAX_TOTALS 8

struct report {
	struct sim_outputs *out;
	u32 n_shown; /* misses a case in the table */
	bool is_quiet; /* cases that pass are not in the table */
	/* kept here: */
	bool has_header;
	struct report_total {
		const char *arch, *engine;
		u64 boundaries, exact, n_acceptable, n_lost_caller, n_in_windows, n_pcs;
	} totals[REPORT_MAX_TOTALS];
	u32 n_cases, n_failed;
};

/* 0 or -ENOMEM; when writing fails is told when the outputs are closed. */
int report_case(struct report *r, const struct report_case *rc);

/* The sums. */
void report_end(struct report *r);

/* What came of the walk that missed. */
const char *sweep_miss_words(const struct sweep_miss *m);

/* Parts of it. */
void report_table(struct report *r, const struct report_case *rc);
int report_json(FILE *f, const struct report_case *rc);
