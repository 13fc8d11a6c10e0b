/* SPDX-License-Identifier: BSD-2-Clause */

/* Writes tables of GitHub's Markdown. */

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/util/cleanup.h"
#include "cell.h"
#include "section.h"

static int put_row(FILE *out, const struct section *s, const struct query_row *row)
{
	_cleanup_free_ char *note = section_note(s, row);
	int err;

	if (!note)
		return -ENOMEM;
	fprintf(out, "| %.1f %% | %.1f %% | ", section_percent(row->self, s->samples),
		section_percent(row->total, s->samples));
	for (u32 i = 0; i < row->depth; i++)
		fputs("&nbsp;&nbsp;", out);
	err = cell_print_markdown(out, row->name);
	fputs(" | ", out);
	if (err == 0)
		err = cell_print_markdown(out, row->where ? row->where : "");
	fprintf(out, "%s%s%s |\n", note[0] ? " (" : "", note, note[0] ? ")" : "");
	return err;
}

int section_markdown(FILE *out, const struct section *s)
{
	int err = 0;

	fprintf(out, "\n| %s | total | %s | where |\n|--:|--:|:--|:--|\n", section_self(s),
		s->title);
	for (u32 i = 0; err == 0 && i < s->result.n; i++)
		err = put_row(out, s, &s->result.rows[i]);
	return err;
}
