/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Caches the helper's answers by address: at most 16,384 of them in at most
 * LINES_CACHE_BYTES. Evicts the least recently used.
 */

#include "../../core/types.h"

#define LINES_CACHE_BYTES (8u << 20)

struct lines_cache;

enum lines_state { LINES_UNKNOWN, LINES_ASKED, LINES_KNOWN };

struct lines_key {
	u32 module; /* never 0 */
	u64 addr;
};

/* Frames as the helper sends them; none: nothing is known of the address. */
struct lines_known {
	u32 n_frames, len;
	const char *text;
};

int lines_cache_new(struct lines_cache **c);
void lines_cache_free(struct lines_cache **c);

/**
 * lines_cache_find() - what is known of an address
 * @generation:	of the helper: what another one was asked is unknown
 * @known:	borrowed until the next lines_cache_put(); written for LINES_KNOWN
 */
enum lines_state lines_cache_find(struct lines_cache *c, const struct lines_key *key,
				  u32 generation, struct lines_known *known);
void lines_cache_asked(struct lines_cache *c, const struct lines_key *key, u32 generation);

/* Keeps a copy. Without memory the address is unknown again. */
void lines_cache_put(struct lines_cache *c, const struct lines_key *key,
		     const struct lines_known *known);
