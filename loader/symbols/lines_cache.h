/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Caches the helper's answers by address: at most 16,384 answers with at most LINES_CACHE_BYTES.
 * The least recently used answers are evicted.
 */

#include "../../core/types.h"

#define LINES_CACHE_BYTES (8u << 20)

struct lines_cache;

enum lines_state { LINES_UNKNOWN, LINES_ASKED, LINES_KNOWN };

struct lines_key {
	u32 module; /* never 0 */
	u64 addr;
};

/* Frames in the helper's format; n_frames is 0 if the address has no lines. */
struct lines_known {
	u32 n_frames, len;
	const char *text;
};

int lines_cache_new(struct lines_cache **c);
void lines_cache_free(struct lines_cache **c);

/**
 * lines_cache_find() - look up an address
 * @generation:	current generation of the helper; if the lines of an address were requested from
 *		another generation and did not arrive, the result is LINES_UNKNOWN
 * @known:	written if LINES_KNOWN is returned; borrowed until the next lines_cache_put()
 */
enum lines_state lines_cache_find(struct lines_cache *c, const struct lines_key *key,
				  u32 generation, struct lines_known *known);
void lines_cache_asked(struct lines_cache *c, const struct lines_key *key, u32 generation);

/* Stores a copy. If out of memory, the address becomes unknown again. */
void lines_cache_put(struct lines_cache *c, const struct lines_key *key,
		     const struct lines_known *known);
