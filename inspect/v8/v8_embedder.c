/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Recognizes Deno and Electron, which are stripped and whose V8 has no metadata. They still contain
 * the string that v8::V8::GetVersion() returns, e.g. "15.0.245.2-rusty". The embedder sets the end
 * of the string (V8_EMBEDDER_STRING): rusty_v8, as found in Deno 2.9.6, and v8_embedder_string of
 * Electron (build/args/all.gn at 2026-11).
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../elf/elf_search.h"
#include "v8_build.h"

struct embedder {
	const char *mark, *why;
};

static const struct embedder embedders[] = {
	{ "-rusty", "Deno, built without V8 metadata" },
	{ "-electron.0", "Electron, built without V8 metadata" },
};

struct search {
	const char *mark;
	int *version;
};

/* Reads the number that ends at @end. Returns where the number starts, or NULL. */
static const char *number_before(const char *end, int *value)
{
	const char *p = end;

	while (end - p < 5 && p[-1] >= '0' && p[-1] <= '9')
		p--;
	*value = (int)strtol(p, NULL, 10);
	return p < end && *value <= UINT16_MAX ? p : NULL;
}

/* Reads the version before the mark: four numbers, at most 23 bytes. @text follows the mark. */
static int take_version(const char *text, size_t n, void *data)
{
	const struct search *s = data;
	const char *p = text - strlen(s->mark);

	if (!n || *text)
		return -ENOENT;
	for (int i = 3; p && i >= 0; i--) {
		p = number_before(p, &s->version[i]);
		if (p && i && *--p != '.')
			p = NULL;
	}
	return p ? 0 : -ENOENT;
}

int v8_find_embedder(const struct elf_file *f, int version[4], const char **why)
{
	int err = -ENOENT;

	for (size_t i = 0; err == -ENOENT && i < sizeof(embedders) / sizeof(*embedders); i++) {
		struct search s = { embedders[i].mark, version };

		err = elf_file_search(f, s.mark, 1, take_version, &s);
		if (!err)
			*why = embedders[i].why;
	}
	return err;
}
