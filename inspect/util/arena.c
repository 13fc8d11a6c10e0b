/* SPDX-License-Identifier: BSD-2-Clause */
#include "arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LEN (64u << 10)

struct arena_block {
	struct arena_block *older;
	_Alignas(16) char bytes[];
};

static bool add_block(struct arena *a, size_t len)
{
	size_t room = len > BLOCK_LEN ? len : BLOCK_LEN, size = sizeof(struct arena_block) + room;
	struct arena_block *b;

	if (a->limit && (a->total > a->limit || size > a->limit - a->total))
		return false;
	b = calloc(1, size);
	if (!b)
		return false;
	b->older = a->blocks;
	*a = (struct arena){ b, 0, room, a->total + size, a->limit };
	return true;
}

void *arena_alloc(struct arena *a, size_t len)
{
	void *p;

	len = (len + 15) & ~(size_t)15;
	if ((!a->blocks || len > a->room - a->used) && !add_block(a, len))
		return NULL;
	p = a->blocks->bytes + a->used;
	a->used += len;
	return p;
}

void *arena_dup(struct arena *a, const void *bytes, size_t len)
{
	void *p = arena_alloc(a, len);

	return p && len ? memcpy(p, bytes, len) : p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_dup(a, s, strlen(s) + 1);
}

void arena_clear(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *older = a->blocks->older;

		free(a->blocks);
		a->blocks = older;
	}
	*a = (struct arena){ .limit = a->limit };
}
