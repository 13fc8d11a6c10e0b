/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Node.js has the URL of its C headers (process.release.headersUrl) as a string constant:
 * ".../download/release/v24.21.0/node-v24.21.0-headers.tar.gz". In nightly and release-candidate
 * builds, the text before "node-v" differs.
 */

#include <errno.h>
#include <string.h>

#include "../elf/elf_search.h"
#include "v8_build.h"

#define MARK "/node-v"
#define TAIL "-headers.tar.gz"
#define MAX_VERSION_LEN 48

struct version {
	char *text;
	size_t len;
};

static bool is_version_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '-';
}

/* Reads the version from @text, which follows MARK. */
static int take_version(const char *text, size_t n, void *data)
{
	const struct version *v = data;
	const char *end =
		memmem(text, n < MAX_VERSION_LEN ? n : MAX_VERSION_LEN, TAIL, strlen(TAIL));

	if (!end || end == text || (size_t)(end - text) >= v->len || *text < '0' || *text > '9')
		return -ENOENT;
	for (const char *p = text; p < end; p++)
		if (!is_version_char(*p))
			return -ENOENT;
	memcpy(v->text, text, (size_t)(end - text));
	v->text[end - text] = 0;
	return 0;
}

int v8_find_node_version(const struct elf_file *f, char *version, size_t len)
{
	struct version v = { version, len };

	return elf_file_search(f, MARK, MAX_VERSION_LEN, take_version, &v);
}
