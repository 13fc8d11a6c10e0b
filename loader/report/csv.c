/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Writes CSV by RFC 4180; self and total are numbers of samples. Names are escaped as for a
 * terminal.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "cell.h"
#include "section.h"

/* Return: whether a spreadsheet treats text with this first character as a formula. */
static bool is_formula(const char *text)
{
	return text[0] && strchr("=+-@", text[0]);
}

static int put(FILE *out, const char *text)
{
	_cleanup_free_ char *safe = cell_escape(text ? text : "");

	if (!safe)
		return -ENOMEM;
	fputs(is_formula(safe) ? ",\"'" : ",\"", out);
	for (const char *at = safe; *at; at++) {
		if (*at == '"')
			putc('"', out);
		putc(*at, out);
	}
	putc('"', out);
	return 0;
}

int section_csv(FILE *out, const struct section *s)
{
	int err = 0;

	for (u32 i = 0; err == 0 && i < s->result.n; i++) {
		const struct query_row *row = &s->result.rows[i];

		fprintf(out, "%s,%u,%llu,%llu", s->id, row->depth, row->self, row->total);
		err = put(out, row->name);
		if (err == 0)
			err = put(out, row->where);
		fputs("\r\n", out);
	}
	return err;
}
