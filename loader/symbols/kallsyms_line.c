/* SPDX-License-Identifier: BSD-2-Clause */

#include "kallsyms.h"

#include <errno.h>
#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int parse_kallsyms_line(const char *line, size_t len, struct kallsyms_line *l)
{
	const char *end = line + len, *at = line, *tab, *module = NULL;
	size_t name_len, module_len = 0;
	u64 addr = 0;

	for (; at < end && hex_digit(*at) >= 0; at++)
		addr = addr << 4 | (u64)hex_digit(*at);
	if (at == line || at - line > 16 || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return -EBADMSG;
	l->addr = addr;
	l->type = at[1];
	at += 3;
	tab = memchr(at, '\t', end - at);
	name_len = (tab ? tab : end) - at;
	if (tab && tab + 1 < end && tab[1] == '[') {
		module = tab + 1;
		module_len = end - module;
	}
	if (!name_len || memchr(at, '\0', end - at) || name_len + 1 + module_len >= sizeof(l->name))
		return -EBADMSG;
	memcpy(l->name, at, name_len);
	if (module) {
		l->name[name_len++] = ' ';
		memcpy(l->name + name_len, module, module_len);
	}
	l->name[name_len + module_len] = '\0';
	return 0;
}
