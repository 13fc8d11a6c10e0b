/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Prints a profile: results of queries (query/query.h) as text, JSON, Markdown or
 * CSV, and stacks as JSON lines.
 */

#include <stdio.h>

#include "../profile/reader.h"
#include "../query/query.h"

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_MARKDOWN, REPORT_CSV, REPORT_N_FORMATS };

extern const char *const report_format_names[REPORT_N_FORMATS];

#define REPORT_UNLIMITED (~0u) /* columns: never truncate */

struct report_options {
	enum report_format format;
	u32 width; /* width of text in columns; 0: use report_width() */
	bool is_question; /* print only the result of @query, else the default report */
	struct query query;
	u32 top; /* maximum number of rows; 0: the default of the format */
	struct data_span span;
};

/**
 * report_print() - print the title and the sections
 * @out:	stream; in text, control and bidirectional characters are escaped
 * @in:		reader at the start of the profile
 *
 * Return: 0, -ENODATA for a profile without samples (the rest was printed), -ENOENT for an
 *         unknown function, -EINVAL for an invalid regular expression, or another negative
 *         errno; if @in is malformed or unreadable, prof_reader_error() is set.
 */
int report_print(FILE *out, struct prof_reader *in, const struct report_options *options);

/* Returns the columns of the terminal behind @out, or REPORT_UNLIMITED. */
u32 report_width(FILE *out);

/**
 * report_print_stacks() - print every stack as one self-contained JSON line
 *
 * {"process", "pid", "tid", "thread", "count", "status", "reason", "frames": [...]},
 * frames leaf first with the keys of a profile's frames.
 *
 * Return: 0 or a negative errno, as for report_print().
 */
int report_print_stacks(FILE *out, struct prof_reader *in, const struct data_span *span);
