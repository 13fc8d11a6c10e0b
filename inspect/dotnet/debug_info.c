/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	u8 flags	absent in ReadyToRun code; bit 0: PatchpointInfo follows, and after it 4
 *			bytes per local: its offset from the frame pointer << 1, and whether its
 *			address is taken
 *	header		nibble integers: length of the bounds, length of the variables; .NET 10:
 *			in an instrumented method, 0xffffffff and one more length precede these
 *	bounds		at the next byte: number of points, then
 *			6 to 9: { native delta, IL + 3, source } as nibble integers
 *			10: bits of a native delta - 1, bits of an IL offset - 1; at the next
 *			byte on fields { 2 bits source, native delta, IL + 3 }, lowest bit first
 *
 * A nibble integer has 3 bits per nibble, the highest first; bit 3 is set if more nibbles
 * follow. The low nibble of a byte precedes the high nibble. An IL offset of -1 means no
 * mapping, -2 the prologue, -3 the epilogue. Code between statements (counters, type
 * lookups, returns) is attributed to the preceding statement, a funclet's prologue to the
 * funclet's first statement, and the method's prologue to IL 0. Source: coreclr
 * vm/debuginfostore.cpp, inc/patchpointinfo.h at v8.0.33 and v10.0.14; checked against
 * StackFrame's IL offsets by tests/inspect/live_dotnet.c.
 */

#include <errno.h>

#include "debug_info.h"

#define MAX_POINTS (1u << 20)
#define MAX_LOCALS (1u << 20)
#define WINDOW 64

enum { NO_MAPPING = -1, PROLOGUE = -2, IL_BIAS = 3 };

struct reader {
	struct target *target;
	u64 bit; /* position of the next bit: 8 * address + bit */
	u64 window; /* address of the bytes in the buffer; 0: the buffer is empty */
	u8 bytes[WINDOW];
	int err;
};

static u8 byte_at(struct reader *r, u64 addr)
{
	u64 window = addr & ~(u64)(WINDOW - 1);

	if (window != r->window && !r->err) {
		r->err = target_read(r->target, window, r->bytes, WINDOW);
		r->window = window;
	}
	return r->err ? 0 : r->bytes[addr - window];
}

static u32 take_bits(struct reader *r, u32 n)
{
	u64 v = 0;

	for (u32 got = 0, some; got < n; got += some) {
		u32 from = r->bit & 7;

		some = 8 - from < n - got ? 8 - from : n - got;
		v |= (u64)(byte_at(r, r->bit / 8) >> from & ((1u << some) - 1)) << got;
		r->bit += some;
	}
	return (u32)v;
}

static u32 take_nibbles(struct reader *r)
{
	u32 v = 0;

	for (int i = 0; i < 11; i++) {
		u32 nibble = take_bits(r, 4);

		v = v << 3 | (nibble & 7);
		if (!(nibble & 8) || r->err)
			return v;
	}
	r->err = -EINVAL;
	return 0;
}

static void round_up(struct reader *r)
{
	r->bit = (r->bit + 7) & ~7ull;
}

/* Moves the reader to the bounds. Returns their length, or 0 if there are no bounds. */
static u32 skip_head(const struct debug_info_layout *l, struct reader *r, u64 addr)
{
	u32 len, n;

	if (!l->lacks_flags && take_bits(r, 8) & 1) {
		r->bit += 8ull * l->patchpoints_n;
		n = take_bits(r, 32);
		if (n > MAX_LOCALS)
			r->err = r->err ? r->err : -EINVAL;
		r->bit = 8 * (addr + 1 + l->patchpoints_len + 4ull * n);
	}
	len = take_nibbles(r);
	if (l->is_bit_packed && len == 0xffffffff) {
		len = take_nibbles(r);
		take_nibbles(r);
	}
	take_nibbles(r);
	round_up(r);
	return len;
}

struct point {
	u32 native_delta;
	s32 il;
};

static struct point take_point(struct reader *r, bool is_bit_packed, u32 native_bits, u32 il_bits)
{
	struct point p;

	if (is_bit_packed) {
		take_bits(r, 2);
		p.native_delta = take_bits(r, native_bits);
		p.il = (s32)(take_bits(r, il_bits) - IL_BIAS);
	} else {
		p.native_delta = take_nibbles(r);
		p.il = (s32)(take_nibbles(r) - IL_BIAS);
		take_nibbles(r);
	}
	return p;
}

static int find_point(struct reader *r, bool is_bit_packed, u32 native_off, s32 *il)
{
	u32 n = take_nibbles(r), native_bits = 0, il_bits = 0;
	bool is_funclet_start = false;
	u64 native = 0;

	*il = NO_MAPPING;
	if (is_bit_packed) {
		native_bits = take_nibbles(r) + 1;
		il_bits = take_nibbles(r) + 1;
		round_up(r);
	}
	if (r->err || n > MAX_POINTS || native_bits > 32 || il_bits > 32)
		return r->err ? r->err : -EINVAL;
	for (u32 i = 0; i < n; i++) {
		struct point p = take_point(r, is_bit_packed, native_bits, il_bits);

		if (r->err)
			return r->err;
		native += p.native_delta;
		if (native > native_off && (!is_funclet_start || p.il == PROLOGUE))
			break;
		if (p.il == PROLOGUE) {
			is_funclet_start = native;
			*il = native ? NO_MAPPING : 0;
		} else if (p.il >= 0) {
			is_funclet_start = false;
			*il = p.il;
		}
	}
	return 0;
}

int debug_info_find(const struct debug_info_layout *l, struct target *t, u64 addr, u32 native_off,
		    u32 *il)
{
	struct reader r = { .target = t, .bit = addr * 8 };
	s32 found;
	u32 len;
	int err;

	if (!addr || addr >> 56)
		return addr ? -EINVAL : -ENOENT;
	len = skip_head(l, &r, addr);
	if (r.err || !len)
		return r.err ? r.err : -ENOENT;
	err = find_point(&r, l->is_bit_packed, native_off, &found);
	if (err)
		return err;
	if (found < 0)
		return -ENOENT;
	*il = (u32)found;
	return 0;
}

int debug_info_home(const struct debug_info_layout *l, struct target *t, u64 addr, s32 *off)
{
	struct reader r = { .target = t, .bit = addr * 8 };
	u32 n, home;

	if (!addr || addr >> 56)
		return addr ? -EINVAL : -ENOENT;
	if (!(take_bits(&r, 8) & 1))
		return r.err ? r.err : -ENOENT;
	r.bit += 8ull * l->patchpoints_n;
	n = take_bits(&r, 32);
	r.bit = 8 * (addr + 1 + l->patchpoints_len);
	home = take_bits(&r, 32);
	if (r.err || !n || n > MAX_LOCALS)
		return r.err ? r.err : n ? -EINVAL : -ENOENT;
	*off = (s32)home >> 1;
	return 0;
}
