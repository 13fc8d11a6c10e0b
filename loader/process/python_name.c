/* SPDX-License-Identifier: BSD-2-Clause */

#include "python_name.h"

#include <string.h>

bool python_is(const char *exe)
{
	size_t len = strlen("python");

	return !strncmp(exe, "python", len) && exe[len + strspn(exe + len, "0123456789.")] == '\0';
}

static const char *next_arg(const char *arg, const char *end)
{
	arg += strlen(arg) + 1;
	return arg < end ? arg : NULL;
}

/*
 * Parses a group of short options, such as "-Eum". Return: the option that needs a value, which is
 * after this option or is the next argument; NULL: none does.
 */
static const char *valued_option(const char *group)
{
	return strpbrk(group + 1, "cmWX");
}

const char *python_script(const char *argv0, const char *end)
{
	for (const char *arg = next_arg(argv0, end); arg; arg = next_arg(arg, end)) {
		const char *option, *value;

		if (!strcmp(arg, "-") || !*arg)
			return NULL;
		if (arg[0] != '-')
			return arg;
		if (arg[1] == '-') {
			if (!strcmp(arg, "--check-hash-based-pycs"))
				arg = next_arg(arg, end);
			if (!arg)
				return NULL;
			continue;
		}
		option = valued_option(arg);
		if (!option)
			continue;
		value = option[1] ? option + 1 : next_arg(arg, end);
		if (*option == 'c' || !value)
			return NULL;
		if (*option == 'm')
			return *value ? value : NULL;
		if (!option[1])
			arg = value;
	}
	return NULL;
}
