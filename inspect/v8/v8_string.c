/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Strings of every representation:
 *
 *	0 sequential   characters follow the length
 *	1 cons         first and second; in a flattened string, second is empty
 *	2 external     characters outside of the heap
 *	3 sliced       parent, offset
 *	5 thin         the actual string
 *
 * A visit uses a list of the pieces to read instead of recursion. Limits of the pieces and the
 * depth end loops in a hostile heap.
 *
 * Instance type bits: v8/src/objects/instance-type.h (10.2 to 14.6): low three
 * bits representation, bit 3 one-byte, bit 4 uncached external.
 */

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "v8_string.h"

#define REPRESENTATION_MASK 7
#define ONE_BYTE 8
#define UNCACHED 16

#define MAX_PENDING 128
#define MAX_PIECES 4096
#define CHUNK_LEN 32768

struct piece {
	u64 tagged;
	u32 from, n;
};

struct visit {
	struct piece pending[MAX_PENDING];
	int n_pending, n_pieces;
	enum target_holds holds;
	int (*fn)(const struct v8_chars *c, void *data);
	void *data;
};

bool v8_is_string(struct v8_heap *h, u64 tagged)
{
	int type = v8_is_tagged(tagged) ? v8_type(h, tagged) : -EINVAL;

	return type >= 0 && type < h->l->first_nonstring_type;
}

static int push(struct visit *v, u64 tagged, u32 from, u32 n)
{
	if (!n)
		return 0;
	if (v->n_pending == MAX_PENDING)
		return -E2BIG;
	v->pending[v->n_pending++] = (struct piece){ tagged, from, n };
	return 0;
}

/*
 * Returns the new address of a string that the garbage collector has moved, if @tagged is still the
 * old address. The old object has the copy's untagged address instead of a map (MapWord in
 * v8/src/objects/objects.h at 10.2, seen in 14.6). The copy is complete, but cached pages may be
 * older than the copy.
 */
static u64 moved_to(struct v8_heap *h, u64 tagged)
{
	u64 word;

	if (v8_word(h, tagged, 0, &word) < 0 || !word || word % 8)
		return tagged;
	target_renew(h->target);
	return word + 1;
}

static int length_of(struct v8_heap *h, u64 tagged, u32 *len)
{
	if (!v8_is_string(h, tagged))
		return -EINVAL;
	return v8_read(h, tagged - 1 + h->l->string_length, len, sizeof(*len));
}

static int visit_flat(struct v8_heap *h, struct visit *v, u64 addr, const struct piece *p,
		      bool two_byte)
{
	_Alignas(8) u8 chunk[CHUNK_LEN];
	const u32 width = two_byte ? 2 : 1;

	for (u32 done = 0; done < p->n;) {
		u32 n = p->n - done;
		int r;

		if (n > CHUNK_LEN / width)
			n = CHUNK_LEN / width;
		h->target->holds = v->holds;
		r = v8_read(h, addr + (u64)(p->from + done) * width, chunk, n * width);
		h->target->holds = TARGET_OBJECT;
		if (!r)
			r = v->fn(&(struct v8_chars){ chunk, n, two_byte }, v->data);
		if (r)
			return r;
		done += n;
	}
	return 0;
}

static int visit_cons(struct v8_heap *h, struct visit *v, const struct piece *p)
{
	u64 first, second;
	u32 len, in_first;
	int err = v8_word(h, p->tagged, h->l->cons_first, &first);

	if (!err)
		err = v8_word(h, p->tagged, h->l->cons_second, &second);
	if (!err) {
		first = moved_to(h, first);
		err = length_of(h, first, &len);
	}
	if (err < 0)
		return err;
	in_first = p->from >= len ? 0 : len - p->from < p->n ? len - p->from : p->n;
	if (in_first < p->n) {
		err = push(v, second, p->from + in_first - len, p->n - in_first);
		if (err < 0)
			return err;
	}
	return push(v, first, p->from, in_first);
}

static int visit_sliced(struct v8_heap *h, struct visit *v, const struct piece *p)
{
	u64 parent, offset;
	int err = v8_word(h, p->tagged, h->l->sliced_parent, &parent);

	if (!err)
		err = v8_word(h, p->tagged, h->l->sliced_offset, &offset);
	if (err < 0)
		return err;
	if (!v8_is_smi(offset) || v8_smi(offset) < 0 ||
	    (u32)v8_smi(offset) > UINT32_MAX - p->from - p->n)
		return -EINVAL;
	return push(v, parent, p->from + (u32)v8_smi(offset), p->n);
}

static int visit_external(struct v8_heap *h, struct visit *v, const struct piece *p, int type)
{
	u64 chars;
	int err;

	if (type & UNCACHED)
		return -EINVAL;
	err = v8_word(h, p->tagged, h->l->external_resource + 8, &chars);
	return err ? err : visit_flat(h, v, chars, p, !(type & ONE_BYTE));
}

static int visit_piece(struct v8_heap *h, struct visit *v, struct piece *p)
{
	int type, err;
	u64 actual;
	u32 len;

	p->tagged = moved_to(h, p->tagged);
	type = v8_type(h, p->tagged);
	if (type < 0)
		return type;
	err = length_of(h, p->tagged, &len);
	if (err < 0)
		return err;
	if (p->from > len || p->n > len - p->from)
		return -EINVAL;
	switch (type & REPRESENTATION_MASK) {
	case 0:
		return visit_flat(h, v, p->tagged - 1 + h->l->seq_chars, p, !(type & ONE_BYTE));
	case 1:
		return visit_cons(h, v, p);
	case 2:
		return visit_external(h, v, p, type);
	case 3:
		return visit_sliced(h, v, p);
	case 5:
		err = v8_word(h, p->tagged, h->l->thin_actual, &actual);
		return err ? err : push(v, actual, p->from, p->n);
	}
	return -EINVAL;
}

int v8_string_visit(struct v8_heap *h, u64 tagged, size_t max, enum target_holds holds,
		    int (*fn)(const struct v8_chars *c, void *data), void *data)
{
	u32 len;
	int err;

	tagged = moved_to(h, tagged);
	err = length_of(h, tagged, &len);
	if (err < 0)
		return err;
	return v8_string_visit_part(h, tagged, 0, len < max ? len : (u32)max, holds, fn, data);
}

int v8_string_visit_part(struct v8_heap *h, u64 tagged, u32 from, u32 n, enum target_holds holds,
			 int (*fn)(const struct v8_chars *c, void *data), void *data)
{
	struct visit v = { .holds = holds, .fn = fn, .data = data };
	int r;

	push(&v, tagged, from, n);
	while (v.n_pending) {
		struct piece p = v.pending[--v.n_pending];

		if (++v.n_pieces > MAX_PIECES)
			return -E2BIG;
		r = visit_piece(h, &v, &p);
		if (r)
			return r;
	}
	return 0;
}

/* ---- UTF-8 ---- */

struct utf8 {
	char *dst;
	size_t used, room; /* excluding the terminating NUL and the "..." that marks a cut text */
	u16 high; /* first half of a surrogate pair, or 0 */
	bool cut;
};

#define REPLACEMENT 0xfffd
#define ELLIPSIS "\xe2\x80\xa6"

static void put(struct utf8 *u, u32 c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const u8 lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	char *p = u->dst + u->used;

	if (u->cut || n > u->room - u->used) {
		u->cut = true;
		return;
	}
	u->used += n;
	for (size_t i = n; i-- > 1; c >>= 6)
		p[i] = (char)(0x80 | (c & 0x3f));
	p[0] = (char)(lead[n] | c);
}

static void put_unit(struct utf8 *u, u16 unit)
{
	bool is_low = unit >= 0xdc00 && unit <= 0xdfff;

	if (u->high) {
		u16 high = u->high;

		u->high = 0;
		if (is_low) {
			put(u, 0x10000 + ((u32)(high - 0xd800) << 10) + (u32)(unit - 0xdc00));
			return;
		}
		put(u, REPLACEMENT);
	}
	if (unit >= 0xd800 && unit <= 0xdbff)
		u->high = unit;
	else
		put(u, is_low || !unit ? REPLACEMENT : unit); /* NUL would end the text */
}

static int put_chars(const struct v8_chars *c, void *data)
{
	struct utf8 *u = data;

	for (size_t i = 0; i < c->n; i++)
		put_unit(u, c->two_byte ? ((const u16 *)c->chars)[i] : ((const u8 *)c->chars)[i]);
	return u->cut;
}

int v8_string_utf8(struct v8_heap *h, u64 tagged, char *dst, size_t len)
{
	struct utf8 u = { .dst = dst, .room = len - sizeof(ELLIPSIS) };
	int r = v8_string_visit(h, tagged, len, TARGET_TEXT, put_chars, &u);

	if (r < 0)
		return r;
	if (u.high)
		put(&u, REPLACEMENT);
	memcpy(dst + u.used, u.cut ? ELLIPSIS : "", u.cut ? sizeof(ELLIPSIS) : 1);
	return 0;
}
