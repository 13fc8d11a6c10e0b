/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* One section of a report, and its output in each format. Private to loader/report. */

#include <stdio.h>

#include "../query/query.h"

struct section {
	const char *id; /* name in machine-readable formats: "tree", "functions" */
	const char *title; /* heading of the column of names: "your code" */
	struct query query;
	struct query_result result;
	u64 samples; /* samples of the profile; shares are relative to these */
};

/* 0 or a negative errno. */
int section_text(FILE *out, const struct section *s, u32 width);
int section_lines(FILE *out, const struct section *s); /* rows by line, beside the source */
int section_markdown(FILE *out, const struct section *s);
int section_csv(FILE *out, const struct section *s);

/* The sections of a report. */
int sections_json(FILE *out, const struct prof_data *d, const struct section *v, u32 n);

/*
 * Returns the heading of the self column. The heading is "own" if self includes the time of
 * folded frames.
 */
const char *section_self(const struct section *s);

/* Returns the percentage to print: only 0 is 0.0, and only the whole is 100.0. */
double section_percent(u64 n, u64 of);

/*
 * Prints "native 12.0 %, runtime 3.0 %", the parts of self that are not application code.
 * Free the result.
 */
char *section_note(const struct section *s, const struct query_row *row);
