/* SPDX-License-Identifier: BSD-2-Clause */
#include "fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "cell.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* Returns how a character changes the bracket depth; "->" and "operator<" contain no brackets. */
static int bracket(const char *name, const char *at)
{
	static const char operator_[] = "operator";
	const size_t len = sizeof(operator_) - 1;

	if (at > name && at[-1] == '-' && *at == '>')
		return 0;
	if ((size_t)(at - name) >= len && !strncmp(at - len, operator_, len) && *at != '(')
		return 0;
	return strchr("<[{(", *at) ? 1 : strchr(">]})", *at) ? -1 : 0;
}

/* Finds the parameters at the end of the name; without parameters, the end of the name. */
static const char *parameters(const char *name)
{
	const char *end = name + strlen(name), *at = end;
	int depth = 0;

	while (at > name) {
		at--;
		depth -= bracket(name, at);
		if (!depth)
			break;
	}
	/* "(anonymous)" is a name, not parameters. */
	return *at == '(' && end[-1] == ')' && at > name && at[-1] != ' ' ? at : end;
}

static bool is_separator(const char *at)
{
	return *at == '.' || *at == '#' || (*at == ':' && at[1] == ':');
}

/* Finds the last @n components of the name that ends at @end: "Type.Method" for 2. */
static const char *last_names(const char *name, const char *end, int n)
{
	const char *from = end;
	int depth = 0;

	for (const char *at = end - 1; at > name; at--) {
		depth -= bracket(name, at);
		if (depth || !is_separator(at) || at + 1 == end)
			continue;
		from = at + (*at == ':' ? 2 : 1);
		if (!--n)
			return from;
	}
	return name;
}

static char *joined(const char *before, const char *from, const char *end, const char *after)
{
	char *text;

	return asprintf(&text, "%s%.*s%s", before, (int)(end - from), from, after) < 0 ? NULL
										       : text;
}

/* Returns the longest suffix of [@from, @end) that fits after an ellipsis. */
static char *cut_type(const char *from, const char *end, u32 width)
{
	_cleanup_free_ char *whole = joined("", from, end, "");
	const char *at = whole;

	if (!whole)
		return NULL;
	while (*at && cell_width(at) + 1 > width)
		do
			at++;
		while ((*at & 0xc0) == 0x80);
	return joined(ELLIPSIS, at, at + strlen(at), "");
}

char *name_fit(const char *name, u32 width)
{
	const char *end = name + strlen(name), *open = parameters(name);
	const char *type = last_names(name, open, 2), *method = last_names(name, open, 1);
	const struct {
		const char *before, *from, *end, *after;
	} forms[] = {
		{ "", name, end, "" },
		{ "", name, open, "(" ELLIPSIS ")" },
		{ type > name ? ELLIPSIS : "", type, open, "" },
	};
	_cleanup_free_ char *alone = NULL;

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char *text = joined(forms[i].before, forms[i].from, forms[i].end, forms[i].after);

		if (!text || cell_width(text) <= width)
			return text;
		free(text);
	}
	alone = joined("", method, open, "");
	if (!alone)
		return NULL;
	/* Shows as much of the type as fits, provided that the method fits. */
	return cell_width(alone) + 2 < width && method > type ? cut_type(type, open, width)
							      : TAKE_PTR(alone);
}
