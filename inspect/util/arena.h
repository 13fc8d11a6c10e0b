/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Allocates memory in small pieces that never move and are freed together. A zeroed struct
 * is an empty arena.
 */

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* linked list of blocks, the newest one first */
	size_t used, room; /* allocated bytes of the newest block */
	size_t total; /* bytes allocated in all blocks */
	size_t limit; /* limit of the member total; 0: no limit */
};

/*
 * Allocates zeroed memory, aligned to 16 and valid until arena_clear(). Returns NULL if out of
 * memory or above the limit.
 */
void *arena_alloc(struct arena *a, size_t len);

/* Allocates a copy of @len bytes, or of a string. */
void *arena_dup(struct arena *a, const void *bytes, size_t len);
char *arena_strdup(struct arena *a, const char *s);

/* Frees all pieces; the limit is kept. */
void arena_clear(struct arena *a);
