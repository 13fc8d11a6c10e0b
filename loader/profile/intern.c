/* SPDX-License-Identifier: BSD-2-Clause */
#include "intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FIRST_ROOM 256

struct key_head {
	u64 len;
};

void intern_init(struct intern *t, size_t limit)
{
	*t = (struct intern){ .limit = limit };
	/*
	 * Without a random seed, an attacker that chooses the keys could make their hashes
	 * collide.
	 */
	if (getrandom(&t->seed, sizeof(t->seed), GRND_NONBLOCK) != sizeof(t->seed))
		t->seed = (u64)(size_t)t;
}

void intern_deinit(struct intern *t)
{
	free(t->keys);
	free(t->offs);
	free(t->slots);
	*t = (struct intern){ 0 };
}

void intern_empty(struct intern *t)
{
	t->keys_len = 0;
	t->n = 0;
	if (t->slots)
		memset(t->slots, 0, t->n_slots * sizeof(*t->slots));
}

/* Processes 8 bytes at a time with a 64x64->128 bit multiplication. */
static u64 hash_bytes(u64 seed, const void *key, size_t len)
{
	u64 h = seed ^ len;

	for (size_t at = 0; at < len; at += 8) {
		u64 word = 0;

		memcpy(&word, (const u8 *)key + at, len - at < 8 ? len - at : 8);

		unsigned __int128 product =
			(unsigned __int128)(h ^ word) * (seed | 1) + 0x9e3779b97f4a7c15ull;

		h = (u64)product ^ (u64)(product >> 64);
	}
	return h ^ h >> 32;
}

static size_t bytes_held(size_t keys_room, u32 offs_room, u32 n_slots)
{
	return keys_room + offs_room * sizeof(u64) + n_slots * sizeof(u32);
}

static void place(struct intern *t, u32 idx)
{
	size_t len;
	const void *key = intern_key(t, idx, &len);
	u32 mask = t->n_slots - 1, at = (u32)hash_bytes(t->seed, key, len) & mask;

	while (t->slots[at])
		at = (at + 1) & mask;
	t->slots[at] = idx + 1;
}

static int grow_slots(struct intern *t, u32 n_slots)
{
	u32 *slots = calloc(n_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->n_slots = n_slots;
	for (u32 i = 0; i < t->n; i++)
		place(t, i);
	return 0;
}

static int grow(void **array, size_t bytes)
{
	void *bigger = realloc(*array, bytes);

	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	return 0;
}

/* Makes room for a key of @need bytes, within the limit. */
static int reserve(struct intern *t, size_t need)
{
	size_t keys_room = t->keys_room ? t->keys_room : FIRST_ROOM * 16;
	u32 offs_room = t->offs_room, n_slots = t->n_slots;
	int err = 0;

	while (keys_room - t->keys_len < need)
		keys_room *= 2;
	if (t->n == offs_room)
		offs_room = offs_room ? offs_room * 2 : FIRST_ROOM;
	if ((t->n + 1) * 4ull > n_slots * 3ull)
		n_slots = n_slots ? n_slots * 2 : FIRST_ROOM * 2;
	if (offs_room > 1u << 30 || bytes_held(keys_room, offs_room, n_slots) > t->limit)
		return -ENOSPC;
	if (keys_room != t->keys_room)
		err = grow((void **)&t->keys, keys_room);
	if (err < 0)
		return err;
	t->keys_room = keys_room;
	if (offs_room != t->offs_room)
		err = grow((void **)&t->offs, offs_room * sizeof(*t->offs));
	if (err < 0)
		return err;
	t->offs_room = offs_room;
	return n_slots == t->n_slots ? 0 : grow_slots(t, n_slots);
}

int intern_find(const struct intern *t, const void *key, size_t len, u32 *idx)
{
	u32 i, at = t->n_slots ? (u32)hash_bytes(t->seed, key, len) : 0;

	for (; t->n_slots && (i = t->slots[at & (t->n_slots - 1)]); at++) {
		size_t found_len;
		const void *found = intern_key(t, i - 1, &found_len);

		if (found_len == len && memcmp(found, key, len) == 0) {
			*idx = i - 1;
			return 0;
		}
	}
	return -ENOENT;
}

int intern_add(struct intern *t, const void *key, size_t len, u32 *idx)
{
	size_t need = sizeof(struct key_head) + ((len + 7) & ~(size_t)7);

	if (intern_find(t, key, len, idx) == 0)
		return 0;

	int err = reserve(t, need);

	if (err < 0)
		return err;

	struct key_head head = { .len = len };

	memcpy(t->keys + t->keys_len, &head, sizeof(head));
	memcpy(t->keys + t->keys_len + sizeof(head), key, len);
	t->offs[t->n] = t->keys_len;
	t->keys_len += need;
	*idx = t->n++;
	place(t, *idx);
	return 1;
}

const void *intern_key(const struct intern *t, u32 idx, size_t *len)
{
	struct key_head head;

	memcpy(&head, t->keys + t->offs[idx], sizeof(head));
	*len = head.len;
	return t->keys + t->offs[idx] + sizeof(head);
}
