/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Numbers distinct byte strings 0, 1, 2, ... in the order of their first appearance. Memory
 * grows up to a limit; at the limit the caller decides how to continue. Keys are stored and
 * compared in full, so two different keys never share a number.
 *
 *	keys    | len | bytes ... | len | bytes ... |
 *	offs    [i]: offset of key i in keys
 *	slots   open addressing, i + 1 or 0
 */

#include "../../core/types.h"

struct intern {
	u8 *keys;
	size_t keys_len, keys_room;
	u64 *offs;
	u32 n, offs_room;
	u32 *slots;
	u32 n_slots; /* a power of two, or 0 */
	size_t limit;
	u64 seed;
};

/**
 * intern_init() - initialize an empty table
 * @limit:	maximum size in bytes
 */
void intern_init(struct intern *t, size_t limit);
void intern_deinit(struct intern *t);

/* Removes all keys but keeps the memory. The next key gets number 0 again. */
void intern_empty(struct intern *t);

/**
 * intern_add() - find a key or add it
 * @idx:	its number
 *
 * Return: 1 for a new key, 0 for an existing key, -ENOSPC if the limit is reached,
 * -ENOMEM.
 */
int intern_add(struct intern *t, const void *key, size_t len, u32 *idx);

/* Finds the number of an existing key. Returns 0 or -ENOENT. */
int intern_find(const struct intern *t, const void *key, size_t len, u32 *idx);

/**
 * intern_key() - the key that has number @idx
 *
 * Return: borrowed, valid until the next intern_add(); the bytes are aligned to 8.
 */
const void *intern_key(const struct intern *t, u32 idx, size_t *len);
