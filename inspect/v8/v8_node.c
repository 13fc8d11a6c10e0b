/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Node.js keeps the address of its own headers (process.release.headersUrl) as a
 * string constant: ".../download/release/v24.21.0/node-v24.21.0-headers.tar.gz".
 * Nightly and release-candidate builds differ in what precedes "node-v".
 */

#include <errno.h>
#include <string.h>

#include "../util/cleanup.h"
#include "v8_build.h"

#define CHUNK_LEN (1u << 20)
#define MARK "/node-v"
#define TAIL "-headers.tar.gz"
#define MAX_VERSION_LEN 48
#define MAX_SEARCH_LEN (256u << 20) /* Node.js 26 has 120 MB */

static bool is_version_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '-';
}

/* @text follows MARK. */
static int take_version(const char *text, size_t n, char *version, size_t len)
{
	const char *end =
		memmem(text, n < MAX_VERSION_LEN ? n : MAX_VERSION_LEN, TAIL, strlen(TAIL));

	if (!end || end == text || (size_t)(end - text) >= len || *text < '0' || *text > '9')
		return -ENOENT;
	for (const char *p = text; p < end; p++)
		if (!is_version_char(*p))
			return -ENOENT;
	memcpy(version, text, (size_t)(end - text));
	version[end - text] = 0;
	return 0;
}

static int search(const char *chunk, size_t n, char *version, size_t len)
{
	const char *p = chunk;

	while ((p = memmem(p, n - (size_t)(p - chunk), MARK, strlen(MARK)))) {
		p += strlen(MARK);
		if (!take_version(p, n - (size_t)(p - chunk), version, len))
			return 0;
	}
	return -ENOENT;
}

/* @budget: bytes that may be read still; segments can have the same bytes of the file. */
static int search_segment(const struct elf_file *f, const struct elf_segment *s, char *chunk,
			  u64 *budget, char *version, size_t len)
{
	const u64 overlap = strlen(MARK) + MAX_VERSION_LEN;

	for (u64 off = 0; off < s->file_len; off += CHUNK_LEN - overlap) {
		u64 left = s->file_len - off;
		size_t n = left < CHUNK_LEN ? left : CHUNK_LEN;

		if (n > *budget || elf_file_read_addr(f, s->addr + off, chunk, n) < 0)
			break;
		*budget -= n;
		if (!search(chunk, n, version, len))
			return 0;
	}
	return -ENOENT;
}

int v8_find_node_version(const struct elf_file *f, char *version, size_t len)
{
	_cleanup_free_ char *chunk = malloc(CHUNK_LEN);
	u64 budget = MAX_SEARCH_LEN;
	size_t n_segments;
	const struct elf_segment *s = elf_file_segments(f, &n_segments);

	if (!chunk)
		return -ENOMEM;
	/* Node.js 18 is linked with its constants beside the code, in one segment. */
	for (int is_exec = 0; is_exec <= 1; is_exec++) {
		for (size_t i = 0; i < n_segments; i++) {
			if (s[i].is_exec == is_exec &&
			    !search_segment(f, &s[i], chunk, &budget, version, len))
				return 0;
		}
	}
	return -ENOENT;
}
