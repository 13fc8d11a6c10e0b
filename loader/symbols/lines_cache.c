/* SPDX-License-Identifier: BSD-2-Clause */

#include "lines_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_SETS 2048 /* a power of two */
#define N_WAYS 8

struct entry {
	struct lines_key key; /* module 0: empty */
	enum lines_state state;
	u32 generation; /* generation of the helper that got the request */
	u64 used;
	u32 n_frames, len;
	char *text;
};

struct lines_cache {
	struct entry v[N_SETS][N_WAYS];
	u64 clock, bytes;
};

int lines_cache_new(struct lines_cache **c)
{
	*c = calloc(1, sizeof(**c));
	return *c ? 0 : -ENOMEM;
}

static void drop(struct lines_cache *c, struct entry *e)
{
	c->bytes -= e->len;
	free(e->text);
	*e = (struct entry){ 0 };
}

static void drop_all(struct lines_cache *c)
{
	for (u32 i = 0; i < N_SETS * N_WAYS; i++)
		drop(c, &c->v[i / N_WAYS][i % N_WAYS]);
}

void lines_cache_free(struct lines_cache **cache)
{
	if (*cache)
		drop_all(*cache);
	free(*cache);
	*cache = NULL;
}

static struct entry *set_of(struct lines_cache *c, const struct lines_key *key)
{
	u64 hash = (key->addr ^ (u64)key->module << 40) * 0x9e3779b97f4a7c15ull;

	return c->v[(hash >> 40) % N_SETS];
}

static struct entry *find(struct lines_cache *c, const struct lines_key *key)
{
	struct entry *set = set_of(c, key);

	for (u32 i = 0; i < N_WAYS; i++)
		if (set[i].key.module == key->module && set[i].key.addr == key->addr)
			return &set[i];
	return NULL;
}

/*
 * Gets an empty entry for the key. If there is none, evicts the least recently used entry of the
 * key's set.
 */
static struct entry *take(struct lines_cache *c, const struct lines_key *key)
{
	struct entry *set = set_of(c, key), *e = find(c, key);

	for (u32 i = 0; !e && i < N_WAYS; i++)
		e = set[i].key.module ? NULL : &set[i];
	if (!e) {
		e = &set[0];
		for (u32 i = 1; i < N_WAYS; i++)
			e = set[i].used < e->used ? &set[i] : e;
	}
	drop(c, e);
	e->key = *key;
	e->used = ++c->clock;
	return e;
}

enum lines_state lines_cache_find(struct lines_cache *c, const struct lines_key *key,
				  u32 generation, struct lines_known *known)
{
	struct entry *e = find(c, key);

	if (!e || (e->state == LINES_ASKED && e->generation != generation))
		return LINES_UNKNOWN;
	e->used = ++c->clock;
	if (e->state == LINES_KNOWN)
		*known = (struct lines_known){ e->n_frames, e->len, e->text };
	return e->state;
}

void lines_cache_asked(struct lines_cache *c, const struct lines_key *key, u32 generation)
{
	struct entry *e = take(c, key);

	e->state = LINES_ASKED;
	e->generation = generation;
}

void lines_cache_put(struct lines_cache *c, const struct lines_key *key,
		     const struct lines_known *known)
{
	char *text = malloc(known->len + 1);
	struct entry *e;

	if (!text)
		return;
	if (c->bytes + known->len > LINES_CACHE_BYTES)
		drop_all(c);
	e = take(c, key);
	memcpy(text, known->text, known->len);
	text[known->len] = 0;
	e->state = LINES_KNOWN;
	e->text = text;
	e->len = known->len;
	e->n_frames = known->n_frames;
	c->bytes += e->len;
}
