/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Memory of a cache that is thrown away as a whole. What is in it is never freed
 * piece by piece, so a full cache costs one walk over its blocks.
 */

#include <stddef.h>

struct v8_arena_block;

struct v8_arena {
	struct v8_arena_block *blocks;
	size_t used, room; /* in the first block */
	size_t total; /* bytes allocated in all blocks */
};

/* Zeroed memory that lives until v8_arena_clear(); NULL: out of memory. */
void *v8_arena_alloc(struct v8_arena *a, size_t len);
char *v8_arena_strdup(struct v8_arena *a, const char *s);
void v8_arena_clear(struct v8_arena *a);
