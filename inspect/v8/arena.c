/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define BLOCK_LEN (64u << 10)

struct arena_block {
	struct arena_block *next;
	_Alignas(16) char bytes[];
};

void *arena_alloc(struct arena *a, size_t len)
{
	struct arena_block *b;
	void *p;

	len = (len + 15) & ~(size_t)15;
	if (!a->blocks || len > a->room - a->used) {
		size_t room = len > BLOCK_LEN ? len : BLOCK_LEN;

		b = calloc(1, sizeof(*b) + room);
		if (!b)
			return NULL;
		b->next = a->blocks;
		a->blocks = b;
		a->used = 0;
		a->room = room;
		a->total += sizeof(*b) + room;
	}
	p = a->blocks->bytes + a->used;
	a->used += len;
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	size_t len = strlen(s) + 1;
	char *p = arena_alloc(a, len);

	return p ? memcpy(p, s, len) : NULL;
}

void arena_clear(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
	*a = (struct arena){};
}
