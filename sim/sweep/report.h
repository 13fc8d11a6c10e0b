/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What a sweep says, to whom: a table for people, JSON lines, JUnit's XML, and
 * annotations for GitHub. Each case is reported when it is done.
 */

#include <stdio.h>

#include "judge.h"

struct report_case {
	const char *name;
	const struct sim_case *c; /* NULL when it could not be loaded */
	const char *arch;
	const char *engine;
	const struct sweep_result *result; /* NULL: it could not be run */
	const char *error; /* why not */
	bool failed; /* not run, or less exact than is wanted */
};

struct report {
	FILE *table; /* NULL: none */
	FILE *json;
	FILE *junit;
	FILE *github;
	u32 n_shown; /* misses a case in the table */
	/* kept here: */
	bool has_header;
	struct report_total {
		const char *arch;
		u64 boundaries, exact, n_pcs;
	} totals[2];
	u32 n_cases, n_failed;
	char *junit_cases;
	size_t junit_len;
	FILE *junit_body;
};

/* 0 or -ENOMEM; -EIO when writing fails is told by report_end(). */
int report_case(struct report *r, const struct report_case *rc);

/* Writes what comes last and frees what report_case() kept; 0 or -EIO. */
int report_end(struct report *r);

/* Parts of it. */
void report_table(struct report *r, const struct report_case *rc);
int report_json(FILE *f, const struct report_case *rc);
int report_junit(struct report *r, const struct report_case *rc);
void report_junit_end(struct report *r);
void report_github(FILE *f, const struct report_case *rc);
