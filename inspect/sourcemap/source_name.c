/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_name.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "../util/array.h"
#include "../util/utf8.h"

/* A part of a line. */
struct span {
	const char *at, *end;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '#' || (u8)c >= 0x80;
}

static void skip_spaces(struct span *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

static struct span take_word(struct span *s)
{
	struct span word = { s->at, s->at };

	while (s->at < s->end && is_word(*s->at))
		s->at++;
	word.end = s->at;
	skip_spaces(s);
	return word;
}

static bool is(struct span word, const char *text)
{
	size_t len = (size_t)(word.end - word.at);

	return strlen(text) == len && !memcmp(word.at, text, len);
}

/* Removes the next word if it is @text. */
static bool take(struct span *s, const char *text)
{
	struct span rest = *s;

	if (!is(take_word(&rest), text))
		return false;
	*s = rest;
	return true;
}

static bool next_is(const struct span *s, char c)
{
	return s->at < s->end && *s->at == c;
}

/* Finds the name of a function, method or accessor: an identifier before parameters. */
static bool find_declared(struct span rest, struct span *name)
{
	static const char *const no_names[] = { "if",	 "for",	   "while", "switch",
						"catch", "return", "await", "typeof",
						"super", "import", "new" };

	take(&rest, "async");
	if (take(&rest, "function") && next_is(&rest, '*')) {
		rest.at++;
		skip_spaces(&rest);
	}
	*name = take_word(&rest);
	for (size_t i = 0; i < ARRAY_SIZE(no_names); i++)
		if (is(*name, no_names[i]))
			return false;
	return name->at < name->end && (next_is(&rest, '(') || next_is(&rest, '<'));
}

/* Skips the type of a variable, up to the first '=' outside brackets. */
static void skip_type(struct span *s)
{
	u32 depth = 0;

	for (; s->at < s->end; s->at++) {
		if (s->at + 1 < s->end && s->at[0] == '=' && s->at[1] == '>')
			s->at++;
		else if (strchr("([{<", *s->at))
			depth++;
		else if (strchr(")]}>", *s->at))
			depth -= depth > 0;
		else if (*s->at == '=' && !depth)
			return;
	}
}

/* Finds the variable that the function after @before is assigned to. */
static bool find_variable(struct span before, struct span *name)
{
	skip_spaces(&before);
	take(&before, "export");
	if (!take(&before, "const") && !take(&before, "let") && !take(&before, "var"))
		return false;
	*name = take_word(&before);
	if (next_is(&before, ':'))
		skip_type(&before);
	if (!next_is(&before, '='))
		return false;
	before.at++;
	skip_spaces(&before);
	take(&before, "async");
	return before.at == before.end && name->at < name->end;
}

/* Finds the line and the part of it from a column on. */
static int find_place(const char *text, size_t len, u32 line, u32 column, struct span *all,
		      struct span *rest)
{
	const char *end = text + len;
	u32 unit = 1;

	for (u32 i = 1; i < line; i++) {
		text = memchr(text, '\n', (size_t)(end - text));
		if (!text)
			return -ENOENT;
		text++;
	}
	all->at = text;
	all->end = memchr(text, '\n', (size_t)(end - text));
	if (!all->end)
		all->end = end;
	*rest = *all;
	while (rest->at < rest->end && unit < column) {
		u32 cp;

		rest->at += utf8_decode(rest->at, (size_t)(rest->end - rest->at), &cp);
		unit += cp >= 0x10000 ? 2 : 1;
	}
	return unit == column ? 0 : -ENOENT;
}

int source_name(const char *text, size_t len, u32 line, u32 column, const char **name,
		size_t *name_len)
{
	struct span all, rest, found;
	int err = find_place(text, len, line, column, &all, &rest);

	if (err)
		return err;
	if (!find_variable((struct span){ all.at, rest.at }, &found) &&
	    !find_declared(rest, &found))
		return -ENOENT;
	*name = found.at;
	*name_len = (size_t)(found.end - found.at);
	return 0;
}
