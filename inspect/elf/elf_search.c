/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "../util/cleanup.h"
#include "elf_search.h"

#define CHUNK_LEN (1u << 20)
#define BEFORE ELF_SEARCH_BEFORE
#define MAX_SEARCH_LEN (256u << 20) /* Node.js 26 needs 120 MB */

struct search {
	const struct elf_file *file;
	const char *mark;
	size_t len;
	int (*fn)(const char *text, size_t n, void *data);
	void *data;
	char *chunk; /* preceded by BEFORE readable bytes */
	u64 budget; /* bytes left to read; limited, because segments can share bytes of the file */
};

static int search_chunk(const struct search *s, size_t n)
{
	const char *p = s->chunk;

	while ((p = memmem(p, n - (size_t)(p - s->chunk), s->mark, strlen(s->mark)))) {
		int r;

		p += strlen(s->mark);
		r = s->fn(p, n - (size_t)(p - s->chunk), s->data);
		if (r != -ENOENT)
			return r;
	}
	return -ENOENT;
}

static int search_segment(struct search *s, const struct elf_segment *segment)
{
	const u64 overlap = strlen(s->mark) + s->len;

	memset(s->chunk - BEFORE, 0, BEFORE);
	for (u64 off = 0; off < segment->file_len; off += CHUNK_LEN - overlap) {
		u64 left = segment->file_len - off;
		size_t n = left < CHUNK_LEN ? left : CHUNK_LEN;
		int r;

		if (n > s->budget ||
		    elf_file_read_addr(s->file, segment->addr + off, s->chunk, n) < 0)
			break;
		s->budget -= n;
		r = search_chunk(s, n);
		if (r != -ENOENT)
			return r;
		memcpy(s->chunk - BEFORE, s->chunk + CHUNK_LEN - overlap - BEFORE, BEFORE);
	}
	return -ENOENT;
}

int elf_file_search(const struct elf_file *f, const char *mark, size_t len,
		    int (*fn)(const char *text, size_t n, void *data), void *data)
{
	_cleanup_free_ char *buf = calloc(1, BEFORE + CHUNK_LEN);
	struct search s = { f, mark, len, fn, data, buf + BEFORE, MAX_SEARCH_LEN };
	size_t n_segments;
	const struct elf_segment *segments = elf_file_segments(f, &n_segments);

	if (!buf)
		return -ENOMEM;
	for (int is_exec = 0; is_exec <= 1; is_exec++) {
		for (size_t i = 0; i < n_segments; i++) {
			int r;

			if (segments[i].is_exec != is_exec)
				continue;
			r = search_segment(&s, &segments[i]);
			if (r != -ENOENT)
				return r;
		}
	}
	return -ENOENT;
}
