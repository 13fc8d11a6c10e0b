/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A compiler-generated name is "<" origin ">" letter [ "__" rest ]; the origin may also be such a
 * name:
 *
 *	<Main>b__0_1          lambda              <Main>g__Add|0_1    local function
 *	<RunAsync>d__3        state machine       <<Main>b__0_1>d     of an async lambda
 *	<Main>$               top-level statements: unchanged
 *
 * Source: Roslyn src/Compilers/CSharp/Portable/Symbols/Synthesized/GeneratedNameKind.cs
 * and GeneratedNames.cs at VSCode-CSharp-2.0 (a comment there declares the letters stable).
 */

#include "readable.h"

#define MAX_DEPTH 4

struct made_up {
	const char *of;
	size_t of_len;
	char letter;
	const char *rest; /* the part after "__", or "" */
};

/* Splits a name into its parts. @n: number of bytes of the name to use. */
static bool take_apart(const char *name, size_t n, struct made_up *m)
{
	size_t depth = 0, i;

	if (n < 3 || name[0] != '<')
		return false;
	for (i = 0; i < n; i++) {
		depth += name[i] == '<';
		if (name[i] == '>' && !--depth)
			break;
	}
	if (i + 1 >= n || i == 1)
		return false;
	*m = (struct made_up){ name + 1, i - 1, name[i + 1], "" };
	if (i + 2 == n)
		return true;
	if (n - i < 5 || strncmp(name + i + 2, "__", 2))
		return false;
	m->rest = name + i + 4;
	return true;
}

static void add_method(const char *name, size_t n, struct text *out, int depth)
{
	struct made_up m;
	const char *end = name + n;

	if (depth == MAX_DEPTH || !take_apart(name, n, &m) ||
	    (m.letter != 'b' && m.letter != 'g') || !m.rest[0]) {
		text_add(out, "%.*s", (int)n, name);
		return;
	}
	add_method(m.of, m.of_len, out, depth + 1);
	if (m.letter == 'b') {
		text_add(out, ".<lambda_%.*s>", (int)(end - m.rest), m.rest);
	} else {
		const char *bar = memchr(m.rest, '|', (size_t)(end - m.rest));

		text_add(out, ".%.*s", (int)((bar ? bar : end) - m.rest), m.rest);
	}
}

void readable_method(const char *name, struct text *out)
{
	add_method(name, strlen(name), out, 0);
}

enum readable_type readable_type(const char *name, struct text *out)
{
	struct made_up m;

	if (!strcmp(name, "<>c") || !strncmp(name, "<>c__DisplayClass", 17))
		return READABLE_CLOSURE;
	if (!take_apart(name, strlen(name), &m) || m.letter != 'd')
		return READABLE_PLAIN;
	add_method(m.of, m.of_len, out, 0);
	return READABLE_STATE_MACHINE;
}

void readable_type_name(const char *name, size_t len, struct text *out)
{
	struct made_up m;

	if (take_apart(name, len, &m) && m.letter == 'd')
		add_method(m.of, m.of_len, out, 0);
	else
		text_add(out, "%.*s", (int)len, name);
}
