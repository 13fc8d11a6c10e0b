/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Gives equal byte strings equal numbers: 0, 1, 2, ... in the order of their
 * first sight. Memory grows up to a limit; what to do then is the caller's
 * choice. Keys are kept and compared whole: two names never share a number.
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
 * intern_init() - start an empty table
 * @limit:	bytes that it may hold
 */
void intern_init(struct intern *t, size_t limit);
void intern_deinit(struct intern *t);

/* Forgets all keys, keeps the memory. Numbers start at 0 again. */
void intern_empty(struct intern *t);

/**
 * intern_add() - find a key or add it
 * @idx:	its number
 *
 * Return: 1 when it is new, 0 when it was there, -ENOSPC when the limit is
 * reached, -ENOMEM.
 */
int intern_add(struct intern *t, const void *key, size_t len, u32 *idx);

/* The number of a key that is there: 0, else -ENOENT. */
int intern_find(const struct intern *t, const void *key, size_t len, u32 *idx);

/**
 * intern_key() - the key of a number that intern_add() gave
 *
 * Return: borrowed, valid until the next intern_add(); its bytes are aligned to 8.
 */
const void *intern_key(const struct intern *t, u32 idx, size_t *len);
