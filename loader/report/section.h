/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* One answer of a report, and how each format prints it. Private to loader/report. */

#include <stdio.h>

#include "../query/query.h"

struct section {
	const char *id; /* "tree", "functions": of machines */
	const char *title; /* "your code"; of the names' column */
	struct query query;
	struct query_result result;
	u64 samples; /* of the profile: shares are of these */
};

/* 0 or a negative errno. */
int section_text(FILE *out, const struct section *s, u32 width);
int section_lines(FILE *out, const struct section *s); /* by line: with the source */
int section_markdown(FILE *out, const struct section *s);
int section_csv(FILE *out, const struct section *s);

/* All of a report. */
int sections_json(FILE *out, const struct prof_data *d, const struct section *v, u32 n);

/* What self is called: of folded frames it is not the function alone. */
const char *section_self(const struct section *s);

/* Not all is never 100.0, and something is never 0.0. */
double section_percent(u64 n, u64 of);

/* "native 12.0 %, runtime 3.0 %": what self is made of but the code itself; to be freed. */
char *section_note(const struct section *s, const struct query_row *row);
