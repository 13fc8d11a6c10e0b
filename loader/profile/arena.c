/* SPDX-License-Identifier: BSD-2-Clause */
#include "arena.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_LEN (64u << 10)

struct arena_chunk {
	struct arena_chunk *older;
	u8 bytes[] __attribute__((aligned(8)));
};

void arena_deinit(struct arena *a)
{
	while (a->chunks) {
		struct arena_chunk *older = a->chunks->older;

		free(a->chunks);
		a->chunks = older;
	}
	*a = (struct arena){ 0 };
}

static bool add_chunk(struct arena *a, size_t need)
{
	size_t room = need > CHUNK_LEN ? need : CHUNK_LEN;
	struct arena_chunk *c;

	if (room > a->limit - a->held)
		return false;
	c = malloc(sizeof(*c) + room);
	if (!c)
		return false;
	c->older = a->chunks;
	a->chunks = c;
	a->used = 0;
	a->room = room;
	a->held += room;
	return true;
}

void *arena_dup(struct arena *a, const void *bytes, size_t n)
{
	size_t need = (n + 7) & ~(size_t)7;
	void *copy;

	if (a->room - a->used < need && !add_chunk(a, need))
		return NULL;
	copy = a->chunks->bytes + a->used;
	a->used += need;
	if (n)
		memcpy(copy, bytes, n);
	return copy;
}
