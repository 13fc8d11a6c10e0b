/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Deno's V8 is built by rusty_v8 without metadata, and Deno is stripped. What is left is
 * the text that v8::V8::GetVersion() gives: "15.0.245.2-rusty", the end of which rusty_v8
 * sets (V8_EMBEDDER_STRING; as found in Deno 2.9.6).
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../elf/elf_search.h"
#include "v8_build.h"

#define MARK "-rusty"

/* The number whose last digit is before @end; where it begins, or NULL. */
static const char *number_before(const char *end, int *value)
{
	const char *p = end;

	while (end - p < 5 && p[-1] >= '0' && p[-1] <= '9')
		p--;
	*value = (int)strtol(p, NULL, 10);
	return p < end && *value <= UINT16_MAX ? p : NULL;
}

/* @text follows MARK. Four numbers are at most 23 bytes before it. */
static int take_version(const char *text, size_t n, void *data)
{
	const char *p = text - strlen(MARK);
	int *version = data;

	if (!n || *text)
		return -ENOENT;
	for (int i = 3; p && i >= 0; i--) {
		p = number_before(p, &version[i]);
		if (p && i && *--p != '.')
			p = NULL;
	}
	return p ? 0 : -ENOENT;
}

int v8_find_rusty_version(const struct elf_file *f, int version[4])
{
	return elf_file_search(f, MARK, 1, take_version, version);
}
