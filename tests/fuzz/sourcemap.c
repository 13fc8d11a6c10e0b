// SPDX-License-Identifier: BSD-2-Clause

/* Reads the input as a source map, as a URL, and as a text that may contain the URL of one. */

#include "fuzz.h"

#include "../../inspect/sourcemap/map_url.h"
#include "../../inspect/sourcemap/source_map.h"
#include "../../inspect/sourcemap/source_name.h"

static void look(const struct source_map *map, u32 line, u32 column)
{
	struct source_map_place at, start;
	const char *name;
	size_t len;

	if (source_map_find(map, line, column, &at))
		return;
	FUZZ_MUST(at.source && at.line && at.column,
		  "the place found for %u:%u has no source, line or column", line, column);
	if (at.text && !source_name(at.text, at.text_len, at.line, at.column, &name, &len))
		FUZZ_MUST(len && name >= at.text && name + len <= at.text + at.text_len,
			  "the name found is not inside the source text");
	if (!source_map_find_start(map, line, column, &start))
		FUZZ_MUST(start.source == at.source && start.line == at.line,
			  "two lookups of %u:%u found different places", line, column);
}

static void read_map(const char *text, size_t len)
{
	struct source_map *map = NULL;

	if (source_map_new(&map, text, len))
		return;
	for (u32 line = 0; line < 8; line++)
		for (u32 column = 0; column < 200; column += 3)
			look(map, line, column);
	look(map, ~0u, ~0u);
	source_map_free(&map);
}

static void read_url(const char *url)
{
	char *text = NULL, *path = map_url_resolve("/srv/app.js", url);
	size_t len;

	FUZZ_MUST(path, "no path of %s", url);
	free(path);
	if (map_url_decode(url, &text, &len))
		return;
	FUZZ_MUST(
		len < strlen(url) && !text[len],
		"the decoded text of %zu bytes is not shorter than the URL or lacks the final NUL",
		len);
	read_map(text, len);
	free(text);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = malloc(size + 1);
	const char *found;
	size_t len;

	FUZZ_MUST(text, "cannot allocate %zu bytes", size);
	memcpy(text, data, size);
	text[size] = 0;
	read_map(text, size);
	found = map_url_find(text, size, &len);
	FUZZ_MUST(!found || (found >= text + 21 && found + len <= text + size), "a URL outside");
	if (found) {
		text[found - text + len] = 0;
		read_url(found);
	}
	free(text);
	return 0;
}
