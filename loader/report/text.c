/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	   self   total  function          where
 *	  23.1 %  41.0 %  render            /srv/app/view.js:88
 *
 * In a tree, names are indented. Rows are truncated only on a terminal.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "cell.h"
#include "fit.h"
#include "report.h"
#include "section.h"

#define NUMBERS_WIDTH 18 /* "  23.1 %  41.0 %  " */
#define MIN_WIDTH 60
#define MAX_PADDED 60 /* columns of names when the width is unlimited */
#define MAX_INDENT 40

/* The escaped texts of a row. */
struct cells {
	char *name, *where, *note;
	u32 indent;
};

static void cells_deinit(struct cells *c)
{
	free(c->name);
	free(c->where);
	free(c->note);
}

/* The caller frees @c, even on failure. */
static int cells_of(const struct section *s, const struct query_row *row, struct cells *c)
{
	c->indent = 2 * row->depth < MAX_INDENT ? 2 * row->depth : MAX_INDENT;
	c->name = cell_escape(row->name);
	c->where = cell_escape(row->where ? row->where : "");
	c->note = section_note(s, row);
	return c->name && c->where && c->note ? 0 : -ENOMEM;
}

/* Returns the width of the column of names. */
static int name_width(const struct section *s, u32 room, u32 *out)
{
	u32 widest = (u32)strlen(s->title), most = MAX_PADDED;

	if (room != REPORT_UNLIMITED)
		most = s->result.n && s->result.rows[0].where ? room / 2 : room;
	for (u32 i = 0; i < s->result.n; i++) {
		_cleanup_(cells_deinit) struct cells c = { 0 };
		u32 width;

		if (cells_of(s, &s->result.rows[i], &c) < 0)
			return -ENOMEM;
		width = c.indent + cell_width(c.name);
		widest = width > widest ? width : widest;
	}
	*out = widest < most ? widest : most;
	return 0;
}

static int print_name(FILE *out, const struct cells *c, u32 width, bool is_cut, bool pad)
{
	u32 room = width > c->indent ? width - c->indent : 1;
	_cleanup_free_ char *fitted = is_cut ? name_fit(c->name, room) : strdup(c->name);

	if (!fitted)
		return -ENOMEM;
	fprintf(out, "%*s", (int)c->indent, "");
	cell_print(out, fitted, is_cut ? room : REPORT_UNLIMITED, CELL_CUT_END, false);
	for (u32 i = cell_width(fitted); pad && i < room; i++)
		putc(' ', out);
	return 0;
}

/* Prints the note only if it fits completely. */
static void print_where(FILE *out, const struct cells *c, u32 room)
{
	u32 width = cell_width(c->where), note = (u32)strlen(c->note) + 4;

	cell_print(out, c->where, room, CELL_CUT_START, false);
	if (c->note[0] && (room == REPORT_UNLIMITED || width + note <= room))
		fprintf(out, "  (%s)", c->note);
}

static int print_row(FILE *out, const struct section *s, const struct query_row *row, u32 room,
		     u32 names)
{
	_cleanup_(cells_deinit) struct cells c = { 0 };
	bool is_cut = room != REPORT_UNLIMITED, has_more;
	int err = cells_of(s, row, &c);

	if (err < 0)
		return err;
	has_more = c.where[0] || c.note[0];
	fprintf(out, "%6.1f %%%6.1f %%  ", section_percent(row->self, s->samples),
		section_percent(row->total, s->samples));
	err = print_name(out, &c, names, is_cut, has_more);
	if (err < 0)
		return err;
	if (has_more) {
		fputs("  ", out);
		print_where(out, &c, is_cut ? room - names : REPORT_UNLIMITED);
	}
	putc('\n', out);
	return 0;
}

int section_text(FILE *out, const struct section *s, u32 width)
{
	u32 room = REPORT_UNLIMITED, names = 0;
	int err;

	if (width != REPORT_UNLIMITED)
		room = (width < MIN_WIDTH ? MIN_WIDTH : width) - NUMBERS_WIDTH - 2;
	err = name_width(s, room, &names);
	if (err < 0)
		return err;
	fprintf(out, "%7s   total  ", section_self(s));
	if (s->result.n && !s->result.rows[0].where)
		fprintf(out, "%s\n", s->title);
	else
		fprintf(out, "%-*s  where\n", (int)names, s->title);
	for (u32 i = 0; err == 0 && i < s->result.n; i++)
		err = print_row(out, s, &s->result.rows[i], room, names);
	return err;
}
