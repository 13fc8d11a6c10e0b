/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * integer: the low bits of the first byte determine its length
 *
 *	.......0  1 byte, 7 bits      .....011  3 bytes, 21 bits     ....1111  5 bytes,
 *	......01  2 bytes, 14 bits    ....0111  4 bytes, 28 bits               a u32 follows
 *
 * array:  integer (places << 2 | log2 of the width of a table entry), then a table with an
 *	entry per 16 places: the offset, from the table, of a binary tree of four levels. A
 *	node is an integer: bit 0: a lower half follows; bit 1: there is an upper half,
 *	value >> 2 after the node; neither: a leaf, only for place value >> 2.
 *
 * table:  u8 (log2 of buckets << 2 | log2 of the width), offsets of buckets + 1; entries
 *	{ u8 hash, signed integer: offset from itself to the element }
 *
 * Source: coreclr src/coreclr/vm/nativeformatreader.h at v8.0.33 to v10.0.14.
 */

#include <errno.h>
#include <string.h>

#include "native_format.h"

#define MAX_PLACES (1u << 24)
#define MAX_LOG2_BUCKETS 24

/* Returns the length of an integer, or 0 if the integer is truncated. */
static u32 int_len(const struct native_format *f, u32 pos)
{
	u32 len;

	if (pos >= f->len)
		return 0;
	len = (u32)__builtin_ctz(~(u32)f->bytes[pos] | 1u << 4) + 1;
	return len <= f->len - pos ? len : 0;
}

int native_format_uint(const struct native_format *f, u32 *pos, u32 *value)
{
	u32 len = int_len(f, *pos), v = 0;

	if (!len)
		return -EINVAL;
	if (len == 5) {
		memcpy(&v, f->bytes + *pos + 1, 4);
	} else {
		memcpy(&v, f->bytes + *pos, len);
		v >>= len;
	}
	*pos += len;
	*value = v;
	return 0;
}

int native_format_sint(const struct native_format *f, u32 *pos, s32 *value)
{
	u32 len = int_len(f, *pos), v;

	if (native_format_uint(f, pos, &v))
		return -EINVAL;
	/* Decodes an integer of 7 bits per byte, whose highest bit is the sign. */
	*value = len == 5 ? (s32)v : (s32)(v << (32 - 7 * len)) >> (32 - 7 * len);
	return 0;
}

static int read_entry(const struct native_format *f, u32 pos, u32 width, u32 *value)
{
	u32 v = 0;

	if (width > 4 || pos > f->len || width > f->len - pos)
		return -EINVAL;
	memcpy(&v, f->bytes + pos, width);
	*value = v;
	return 0;
}

static int array_head(const struct native_format *f, u32 *table, u32 *width, u32 *n)
{
	u32 head;

	*table = 0;
	if (native_format_uint(f, table, &head))
		return -EINVAL;
	*n = head >> 2;
	*width = 1u << (head & 3);
	return *n > MAX_PLACES ? -EINVAL : 0;
}

int native_format_array_len(const struct native_format *f, u32 *n)
{
	u32 table, width;

	return array_head(f, &table, &width, n);
}

int native_format_array_find(const struct native_format *f, u32 idx, u32 *pos)
{
	u32 table, width, n, off, at;

	if (array_head(f, &table, &width, &n) || idx >= n)
		return -ENOENT;
	if (read_entry(f, table + idx / 16 * width, width, &off) || off > f->len)
		return -EINVAL;
	at = table + off;
	for (u32 bit = 8; bit; bit >>= 1) {
		u32 next = at, value;

		if (native_format_uint(f, &next, &value))
			return -EINVAL;
		if (idx & bit && value & 2) {
			at += value >> 2;
		} else if (!(idx & bit) && value & 1) {
			at = next;
		} else if (!(value & 3) && value >> 2 == (idx & 15)) {
			at = next;
			break;
		} else {
			return -ENOENT;
		}
	}
	if (at >= f->len)
		return -EINVAL;
	*pos = at;
	return 0;
}

static int each_in_bucket(const struct native_format *f, u32 from, u32 to,
			  int (*fn)(u32 pos, void *data), void *data)
{
	for (u32 pos = from; pos < to;) {
		u32 at = ++pos;
		s32 delta;
		int r;

		if (native_format_sint(f, &pos, &delta))
			return -EINVAL;
		if ((s64)at + delta < 0 || (s64)at + delta >= f->len)
			return -EINVAL;
		r = fn((u32)((s64)at + delta), data);
		if (r)
			return r;
	}
	return 0;
}

int native_format_each(const struct native_format *f, int (*fn)(u32 pos, void *data), void *data)
{
	u32 width, n;

	if (!f->len)
		return -EINVAL;
	width = 1u << (f->bytes[0] & 3);
	if (f->bytes[0] >> 2 > MAX_LOG2_BUCKETS)
		return -EINVAL;
	n = 1u << (f->bytes[0] >> 2);
	for (u32 i = 0; i < n; i++) {
		u32 from, to;
		int r;

		if (read_entry(f, 1 + i * width, width, &from) ||
		    read_entry(f, 1 + (i + 1) * width, width, &to) || to < from || to > f->len - 1)
			return -EINVAL;
		r = each_in_bucket(f, 1 + from, 1 + to, fn, data);
		if (r)
			return r;
	}
	return 0;
}
