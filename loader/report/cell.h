/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Text in columns. The text is hostile, so it is escaped; the width of a text is the number of
 * columns that a terminal displays.
 */

#include <stdio.h>

#include "../../core/types.h"

enum cell_cut {
	CELL_CUT_END, /* "renderTemp…" */
	CELL_CUT_START, /* "…/view.js:88" */
};

/* Escapes text for a terminal. The caller frees the result; NULL if out of memory. */
char *cell_escape(const char *s);

/* Returns the number of columns of escaped text. */
u32 cell_width(const char *s);

/* Copies escaped text, cut at its end to @width columns. The caller frees it; NULL: no memory. */
char *cell_fit(const char *s, u32 width);

/**
 * cell_print() - print escaped text in a column
 * @width:	width of the column; longer text is cut, with an ellipsis
 * @pad:	fill the column with spaces
 */
void cell_print(FILE *out, const char *s, u32 width, enum cell_cut cut, bool pad);

/*
 * Prints text, not yet escaped, in a table of Markdown: characters special to Markdown, HTML or a
 * terminal are escaped. Returns 0 or -ENOMEM.
 */
int cell_print_markdown(FILE *out, const char *text);
