/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "v8_arena.h"

#define BLOCK_LEN (64u << 10)

struct v8_arena_block {
	struct v8_arena_block *next;
	_Alignas(16) char bytes[];
};

void *v8_arena_alloc(struct v8_arena *a, size_t len)
{
	struct v8_arena_block *b;
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

char *v8_arena_strdup(struct v8_arena *a, const char *s)
{
	size_t len = strlen(s) + 1;
	char *p = v8_arena_alloc(a, len);

	return p ? memcpy(p, s, len) : NULL;
}

void v8_arena_clear(struct v8_arena *a)
{
	while (a->blocks) {
		struct v8_arena_block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
	*a = (struct v8_arena){};
}
