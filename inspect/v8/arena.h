/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Memory of a cache that is thrown away as a whole. What is in it is never freed
 * piece by piece, so a full cache costs one walk over its blocks.
 */

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t used, room; /* in the first block */
	size_t total; /* bytes allocated in all blocks */
};

/* Zeroed memory that lives until arena_clear(); NULL: out of memory. */
void *arena_alloc(struct arena *a, size_t len);
char *arena_strdup(struct arena *a, const char *s);
void arena_clear(struct arena *a);
