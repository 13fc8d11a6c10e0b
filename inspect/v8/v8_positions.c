/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Numbers have variable length, with 7 bits in each byte, low bits first; bit 7 is set in
 * all bytes but the last. A signed number has its sign in bit 0 (zigzag).
 *
 * The source position table has deltas to the previous entry:
 *
 *	V8 up to 13   zigzag d: code += d >= 0 ? d : -(d + 1); the sign marks a statement
 *	V8 14 on      u: code += u >> 2; bit 0 marks a statement
 *	then          zigzag: position
 *
 * The encoding of V8 14 was derived by comparing tables of 14.1 and 14.6 with the output of
 * --print-bytecode. The meaning of bit 1 of u is not known.
 */

#include <errno.h>

#include "v8_positions.h"

#define MAX_NUMBER_BYTES 10

struct reader {
	const u8 *p, *end;
};

static bool next_number(struct reader *r, u64 *value)
{
	u64 v = 0;

	for (int i = 0; i < MAX_NUMBER_BYTES && r->p < r->end; i++) {
		u8 byte = *r->p++;

		v |= (u64)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80)) {
			*value = v;
			return true;
		}
	}
	return false;
}

static s64 zigzag(u64 v)
{
	return (s64)(v >> 1) ^ -(s64)(v & 1);
}

static u64 code_step(u64 number, bool is_v14)
{
	s64 d = zigzag(number);

	if (is_v14)
		return number >> 2;
	return (u64)(d >= 0 ? d : -(d + 1));
}

struct v8_positions v8_positions_of(const u8 *bytes, size_t n, bool is_v14)
{
	return (struct v8_positions){ bytes, bytes + n, is_v14, (u64)V8_FUNCTION_ENTRY, 0 };
}

int v8_positions_next(struct v8_positions *t)
{
	struct reader r = { t->p, t->end };
	u64 number;
	bool is_whole;

	if (!next_number(&r, &number))
		return 0;
	t->code += code_step(number, t->is_v14);
	is_whole = next_number(&r, &number);
	t->position += is_whole ? (u64)zigzag(number) : 0;
	t->p = r.p;
	return is_whole ? 1 : -ENOENT;
}

int v8_positions_find(struct v8_positions t, s64 code, u64 *pos)
{
	u64 last = 0;
	bool found = false;
	int more;

	while ((more = v8_positions_next(&t)) > 0) {
		if ((s64)t.code > code)
			break;
		last = t.position;
		found = true;
	}
	if (!found)
		return more > 0 ? -ERANGE : -ENOENT;
	*pos = last;
	return more < 0 ? more : 0;
}

s32 v8_position_offset(u64 pos)
{
	return pos & 1 ? V8_NO_SCRIPT_OFFSET : (s32)((pos >> 1) & 0x3fffffff) - 1;
}

s32 v8_position_inlining(u64 pos)
{
	return (s32)((pos >> 31) & 0xffff) - 1;
}

/* Bytecodes 0 to 3 are Wide, ExtraWide, DebugBreakWide, DebugBreakExtraWide. */
int v8_bytecode_len(const struct v8_build *b, const u8 *bytecodes, size_t n, size_t off)
{
	u32 prefix = off < n && bytecodes[off] < 4 ? 1 : 0;
	u32 scale = prefix ? (bytecodes[off] & 1) + 1 : 0;
	u8 op;

	if (off >= n || prefix >= n - off)
		return -EINVAL;
	op = bytecodes[off + prefix];
	if (op >= b->n_bytecodes || !b->bytecode_sizes[scale][op])
		return -EINVAL;
	return (int)prefix + b->bytecode_sizes[scale][op];
}

int v8_baseline_find(const struct v8_build *b, const u8 *table, size_t table_len,
		     const u8 *bytecodes, size_t bytecodes_len, u64 delta)
{
	struct reader r = { table, table + table_len };
	size_t next = 0;
	u64 end, step;
	int off = V8_FUNCTION_ENTRY;

	if (!next_number(&r, &end))
		return -ENOENT;
	while (end <= delta) {
		int len = v8_bytecode_len(b, bytecodes, bytecodes_len, next);

		if (len < 0 || !next_number(&r, &step))
			return -ENOENT;
		off = (int)next;
		next += (size_t)len;
		end += step;
	}
	return off;
}
