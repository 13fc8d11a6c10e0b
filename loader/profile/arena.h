/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Memory that is given out in small pieces, never moves, and is freed at once.
 */

#include "../../core/types.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	size_t used, room; /* of the newest chunk */
	size_t held, limit;
};

void arena_deinit(struct arena *a);

/**
 * arena_dup() - keep a copy of @n bytes, aligned to 8
 *
 * Return: borrowed from the arena, NULL when the limit or memory is reached.
 */
void *arena_dup(struct arena *a, const void *bytes, size_t n);
