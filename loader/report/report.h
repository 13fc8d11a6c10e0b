/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Prints what a profile holds: the answers to questions (query/query.h) as text, JSON,
 * Markdown or CSV, and stacks for jq.
 */

#include <stdio.h>

#include "../profile/reader.h"
#include "../query/query.h"

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_MARKDOWN, REPORT_CSV, REPORT_N_FORMATS };

extern const char *const report_format_names[REPORT_N_FORMATS];

#define REPORT_UNLIMITED (~0u) /* columns: nothing is cut */

struct report_options {
	enum report_format format;
	u32 width; /* columns of text; 0 for report_width() */
	bool is_question; /* @query alone, else the default report */
	struct query query;
	u32 top; /* rows; 0: the format's default */
	struct data_span span;
};

/**
 * report_print() - print the title and the answers
 * @out:	text: control and bidirectional characters are escaped
 * @in:		at its start
 *
 * Return: 0, -ENODATA when it holds no sample (the rest was printed), -ENOENT when no function
 * is called so, -EINVAL when a regular expression is none, or another negative errno;
 * prof_reader_error() is set when @in is to blame.
 */
int report_print(FILE *out, struct prof_reader *in, const struct report_options *options);

/* Columns of the terminal that @out is, else REPORT_UNLIMITED. */
u32 report_width(FILE *out);

/**
 * report_print_stacks() - print every stack as one self-contained JSON line
 *
 * {"process", "pid", "tid", "thread", "count", "status", "reason", "frames": [...]},
 * frames leaf first with the keys of a profile's frames.
 *
 * Return: 0 or a negative errno, as report_print().
 */
int report_print_stacks(FILE *out, struct prof_reader *in, const struct data_span *span);
