/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "../util/clock.h"
#include "v8_object.h"

/* Maximum number of elements of an array. */
#define MAX_ARRAY_LEN (16u << 20)
#define MAX_WORDS (1u << 18) /* maximum for an array that is read as a whole */
#define MAX_TABLE_LEN (4u << 20)

u32 v8_hash(u64 a, u64 b)
{
	u64 x = (a ^ b * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;

	return (u32)(x >> 40) % V8_BUCKETS;
}

void v8_look(struct v8_heap *h)
{
	h->looked_ns = monotonic_ns();
	target_renew(h->target);
}

int v8_read(struct v8_heap *h, u64 addr, void *dst, size_t len)
{
	int err = target_read(h->target, addr, dst, len);

	if (err == -ESRCH)
		h->gone = true;
	h->n_failed += err < 0;
	return err;
}

int v8_word(struct v8_heap *h, u64 tagged, u32 off, u64 *word)
{
	u64 w;
	int err;

	if (!v8_is_tagged(tagged))
		return -EINVAL;
	err = v8_read(h, tagged - 1 + off, &w, sizeof(w));
	if (!err)
		*word = w;
	return err;
}

/*
 * Caches the types of maps. Caching is safe, because the maps of all types that callers accept are
 * immortal and never move; if a map can move, no caller accepts its type.
 */
int v8_map_type(struct v8_heap *h, u64 map)
{
	size_t i = (map >> 3) % V8_MAP_CACHE;
	u16 type;
	int err;

	if (!v8_is_tagged(map))
		return -EINVAL;
	if (h->maps[i].map == map)
		return h->maps[i].type;
	err = v8_read(h, map - 1 + h->l->map_instance_type, &type, sizeof(type));
	if (err < 0)
		return err;
	h->maps[i].map = map;
	h->maps[i].type = type;
	return type;
}

int v8_type(struct v8_heap *h, u64 tagged)
{
	u64 map;
	int err = v8_word(h, tagged, 0, &map);

	return err < 0 ? err : v8_map_type(h, map);
}

bool v8_is_type(struct v8_heap *h, u64 tagged, u16 type)
{
	return type && v8_is_tagged(tagged) && v8_type(h, tagged) == type;
}

static int array_len(struct v8_heap *h, u64 tagged, u32 *len)
{
	u64 word;
	int err = v8_word(h, tagged, h->l->array_length, &word);

	if (err < 0)
		return err;
	if (!v8_is_smi(word) || v8_smi(word) < 0 || v8_smi(word) > (s32)MAX_ARRAY_LEN)
		return -EINVAL;
	*len = (u32)v8_smi(word);
	return 0;
}

int v8_byte_array(struct v8_heap *h, u64 tagged, u64 *data_addr, u32 *len)
{
	int type = v8_type(h, tagged), err;

	if (type < 0)
		return type;
	if (type != h->l->type_byte_array &&
	    (!h->l->type_trusted_byte_array || type != h->l->type_trusted_byte_array))
		return -EINVAL;
	err = array_len(h, tagged, len);
	if (!err)
		*data_addr = tagged - 1 + h->l->array_data;
	return err;
}

static bool is_array_type(const struct v8_layout *l, int type)
{
	return type == l->type_fixed_array || type == l->type_weak_fixed_array ||
	       (l->type_trusted_fixed_array && type == l->type_trusted_fixed_array) ||
	       (l->type_protected_fixed_array && type == l->type_protected_fixed_array) ||
	       (l->type_trusted_weak_array && type == l->type_trusted_weak_array);
}

/* Reads an array's length. Returns 0, -EINVAL (not an array) or the error of a read. */
static int checked_array_len(struct v8_heap *h, u64 tagged, u32 *len)
{
	int type = v8_type(h, tagged);

	if (type < 0)
		return type;
	return is_array_type(h->l, type) ? array_len(h, tagged, len) : -EINVAL;
}

int v8_array_word(struct v8_heap *h, u64 tagged, u32 idx, u64 *word)
{
	u32 len;
	int err = checked_array_len(h, tagged, &len);

	if (err < 0)
		return err;
	if (idx >= len)
		return -ERANGE;
	return v8_word(h, tagged, h->l->array_data + 8 * idx, word);
}

int v8_array_words(struct v8_heap *h, u64 tagged, u64 **words, u32 *n)
{
	_cleanup_free_ u64 *p = NULL;
	u32 len;
	int err = checked_array_len(h, tagged, &len);

	if (err < 0)
		return err;
	if (len > MAX_WORDS)
		return -E2BIG;
	p = calloc(len + 1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	err = v8_read(h, tagged - 1 + h->l->array_data, p, len * sizeof(*p));
	if (err < 0)
		return err;
	*words = TAKE_PTR(p);
	*n = len;
	return 0;
}

int v8_read_bytes(struct v8_heap *h, u64 tagged, u8 **bytes, u32 *len)
{
	_cleanup_free_ u8 *p = NULL;
	u64 addr;
	u32 n;
	int err = v8_byte_array(h, tagged, &addr, &n);

	if (err < 0)
		return err;
	if (n > MAX_TABLE_LEN)
		return -E2BIG;
	p = malloc(n + 1);
	if (!p)
		return -ENOMEM;
	err = n ? v8_read(h, addr, p, n) : 0;
	if (err < 0)
		return err;
	*bytes = TAKE_PTR(p);
	*len = n;
	return 0;
}
