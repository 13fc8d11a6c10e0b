/* SPDX-License-Identifier: BSD-2-Clause */

#include "aot_scan.h"

#include <ctype.h>
#include <string.h>

#include "../../core/types.h"
#include "../util/array.h"

size_t aot_digits(const char *at, const char *end)
{
	size_t n = 0;

	while (at + n < end && isdigit((u8)at[n]))
		n++;
	return n;
}

bool aot_starts(const char *at, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - at) >= n && !memcmp(at, with, n);
}

static bool is_end(const char *at, const char *end)
{
	return at == end || *at == '<' || aot_starts(at, end, "__");
}

size_t aot_closure_len(const char *at, const char *end)
{
	const char *p = at;

	if (!aot_starts(at, end, "__c") || !is_end(at + 3, end))
		return 0;
	p += 3;
	if (aot_starts(p, end, "__DisplayClass"))
		p += strlen("__DisplayClass");
	else if (aot_starts(p, end, "__") && aot_digits(p + 2, end))
		p += 2;
	else
		return 3;
	p += aot_digits(p, end);
	while (p + 1 < end && *p == '_' && isdigit((u8)p[1]))
		p += 1 + aot_digits(p + 1, end);
	return (size_t)(p - at);
}

size_t aot_machine_len(const char *at, const char *end, struct aot_part *name)
{
	const char *p = at + 1, *mark;
	size_t n;

	if (at == end || *at != '_')
		return 0;
	mark = memmem(p, (size_t)(end - p), "__", 2);
	if (!mark || mark - p < 3 || memcmp(mark - 2, "_d", 2))
		return 0;
	n = aot_digits(mark + 2, end);
	*name = (struct aot_part){ p, mark - 2 };
	p = mark + 2 + n;
	if (n && p + 1 < end && *p == '_' && isdigit((u8)p[1]))
		p += 1 + aot_digits(p + 1, end);
	return n && is_end(p, end) ? (size_t)(p - at) : 0;
}

const char *aot_skip_brackets(const char *at, const char *end)
{
	size_t depth = 0;

	for (; at < end; at++) {
		depth += *at == '<';
		if (*at == '>' && !--depth)
			return at + 1;
	}
	return end;
}

const char *aot_type_end(const char *at, const char *end)
{
	struct aot_part name;
	size_t n;

	if (aot_starts(at, end, AOT_ARRAY "<"))
		at += strlen(AOT_ARRAY);
	while (at < end) {
		if (*at == '<')
			at = aot_skip_brackets(at, end);
		else if (aot_starts(at, end, "___Canon"))
			at += strlen("___Canon");
		else if (*at == '_' && ((n = aot_closure_len(at + 1, end)) ||
					(n = aot_machine_len(at + 1, end, &name))))
			at += 1 + n;
		else if (aot_starts(at, end, "__"))
			return at;
		else
			at++;
	}
	return end;
}

const char *aot_skip_assembly(const char *at, const char *end, const char *assembly)
{
	static const char *const own[] = { "System_", "S_P_", "Microsoft_" };
	static const char *const next[] = { "System_", "Internal_", "Microsoft_", "Interop_" };
	size_t n = assembly ? strlen(assembly) : 0;
	bool is_own = false;

	if (n && aot_starts(at, end, assembly) && at + n < end && at[n] == '_')
		return at + n + 1;
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		is_own |= aot_starts(at, end, own[i]);
	for (const char *p = at + 1; p + 1 < end && *p != '<'; p++) {
		if (*p != '_')
			continue;
		n = (size_t)(p - at) + 1;
		if ((size_t)(end - p) > n && !memcmp(at, p + 1, n))
			return p + 1;
		for (size_t i = 0; is_own && i < ARRAY_SIZE(next); i++)
			if (aot_starts(p + 1, end, next[i]))
				return p + 1;
	}
	return aot_starts(at, end, "S_P_CoreLib_") ? at + strlen("S_P_CoreLib_") : at;
}
