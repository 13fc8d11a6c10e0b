/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Says what a profile holds: a table for people, stacks for jq.
 */

#include <stdio.h>

#include "../profile/reader.h"

/**
 * report_print() - print title, activities, completeness and the top functions
 * @out:	text; control and bidirectional characters are escaped
 * @in:		at its start
 * @width:	columns; 0 for report_width()
 *
 * Return: 0, -ENODATA when it holds no sample (the rest was printed), or another
 * negative errno; prof_reader_error() is set when @in is to blame.
 */
int report_print(FILE *out, struct prof_reader *in, u32 width);

/* Columns of the terminal that @out is, else 120. */
u32 report_width(FILE *out);

/**
 * report_print_stacks() - print every stack as one self-contained JSON line
 *
 * {"process", "pid", "tid", "thread", "count", "status", "reason", "frames": [...]},
 * frames leaf first with the keys of a profile's frames.
 *
 * Return: 0 or a negative errno, as report_print().
 */
int report_print_stacks(FILE *out, struct prof_reader *in);
