/* SPDX-License-Identifier: BSD-2-Clause */
#include "cell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/term.h"
#include "../../inspect/util/utf8.h"

/*
 * Length of the longest escape that term_escape() writes for one byte (\xNN) or one character
 * (\uNNNN).
 */
#define ESCAPED_LEN 6

char *cell_escape(const char *s)
{
	size_t size = strlen(s) * ESCAPED_LEN + 1;
	char *out = malloc(size);

	return out ? (char *)term_escape(s, out, size) : NULL;
}

/* Finds the number of bytes and columns of the next character. */
static size_t next(const char *s, u32 *columns)
{
	u32 cp;
	size_t n = utf8_decode(s, strlen(s) < UTF8_MAX_LEN ? strlen(s) : UTF8_MAX_LEN, &cp);
	int w = wcwidth((wchar_t)cp);

	*columns = w < 0 ? 1 : (u32)w;
	return n;
}

u32 cell_width(const char *s)
{
	u32 width = 0, columns;

	while (*s) {
		s += next(s, &columns);
		width += columns;
	}
	return width;
}

/* Returns the number of leading bytes of @s that fit in @width columns. */
static size_t fitting(const char *s, u32 width)
{
	u32 used = 0, columns;
	size_t at = 0;

	while (s[at]) {
		size_t n = next(s + at, &columns);

		used += columns;
		if (used > width)
			break;
		at += n;
	}
	return at;
}

/* Returns the longest suffix of @s that fits in @width columns. */
static const char *fitting_end(const char *s, u32 width)
{
	u32 whole = cell_width(s), columns;

	while (*s && whole > width) {
		s += next(s, &columns);
		whole -= columns;
	}
	return s;
}

void cell_print(FILE *out, const char *s, u32 width, enum cell_cut cut, bool pad)
{
	u32 used = cell_width(s);

	if (width == 0)
		return;
	if (used <= width) {
		fputs(s, out);
	} else if (cut == CELL_CUT_END) {
		size_t n = fitting(s, width - 1);

		fprintf(out, "%.*s\xe2\x80\xa6", (int)n, s);
		used = width;
	} else {
		fprintf(out, "\xe2\x80\xa6%s", fitting_end(s, width - 1));
		used = width;
	}
	for (; pad && used < width; used++)
		putc(' ', out);
}

int cell_print_markdown(FILE *out, const char *text)
{
	_cleanup_free_ char *safe = cell_escape(text);

	if (!safe)
		return -ENOMEM;
	for (const char *at = safe; *at; at++) {
		if (strchr("\\`*_{}[]<>()#+!|~&", *at))
			putc('\\', out);
		putc(*at, out);
	}
	return 0;
}

char *cell_fit(const char *s, u32 width)
{
	char *text;

	if (cell_width(s) <= width)
		return strdup(s);
	if (!width)
		return strdup("");
	return asprintf(&text, "%.*s\xe2\x80\xa6", (int)fitting(s, width - 1), s) < 0 ? NULL : text;
}
