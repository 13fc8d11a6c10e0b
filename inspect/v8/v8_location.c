/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The functions at a pc of optimized code. It has no frames for what was inlined; its
 * deoptimization data has the tree of inlined calls: {u64 position of the call, i32 function,
 * pad} each.
 */

#include <errno.h>
#include <stdint.h>

#include "../util/cleanup.h"
#include "v8_callers.h"
#include "v8_deopt.h"
#include "v8_location.h"
#include "v8_positions.h"

s32 v8_code_cleared_position(struct v8_heap *h, const struct v8_code *code, u64 bytecode, u64 pc)
{
	_cleanup_free_ u8 *bytes = NULL;
	u64 table, pos;
	s32 offset;
	u32 n;

	if (v8_code_position(h, code->positions, (s64)(pc - code->start_addr), &pos) < 0 ||
	    v8_position_inlining(pos) >= 0 || !bytecode ||
	    v8_word(h, bytecode, h->l->bytecode_positions, &table) < 0 ||
	    v8_read_bytes(h, table, &bytes, &n) < 0)
		return -1;
	offset = v8_position_offset(pos);
	return v8_positions_have(bytes, n, h->l->positions_v14, offset) ? offset : -1;
}

struct inlining {
	u64 position;
	s32 function_idx;
};

static int read_inlining(struct v8_heap *h, u64 table, s32 idx, struct inlining *out)
{
	u64 addr;
	u32 len;
	int r = v8_byte_array(h, table, &addr, &len);

	if (r < 0)
		return r;
	if ((u32)idx >= len / V8_INLINING_ENTRY_LEN)
		return -ERANGE;
	addr += (u64)idx * V8_INLINING_ENTRY_LEN;
	r = v8_read(h, addr, &out->position, sizeof(out->position));
	return r ? r : v8_read(h, addr + 8, &out->function_idx, sizeof(out->function_idx));
}

int v8_code_expand(struct v8_heap *h, const struct v8_code *code, u64 pc, struct v8_inlined *out)
{
	u64 outer = v8_code_function(h, code), literals, table, word, pos, last;
	s32 ids[V8_MAX_NAMES];
	struct inlining in;
	int n = 0, r;

	if (!outer)
		return -EINVAL;
	if (h->l->deopt_form) {
		r = v8_deopt_expand(h, code, &pc, out);
		if (r)
			return r;
	}
	if (v8_array_word(h, code->deopt, h->l->deopt_literals_idx, &literals) < 0 ||
	    v8_array_word(h, code->deopt, h->l->deopt_inlining_idx, &table) < 0)
		return -EINVAL;
	r = v8_code_position(h, code->positions, (s64)(pc - code->start_addr), &pos);
	if (r == -ENOENT || r == -ERANGE) {
		out[0] =
			(struct v8_inlined){ .sfi = outer, .pos = -1, .is_bytecode = r == -ERANGE };
		return 1;
	}
	if (!r && v8_has_unknown_pieces(h, code)) {
		r = v8_code_position(h, code->positions, INT64_MAX, &last);
		if (!r && pos == last) { /* behind it is what is out of line */
			out[0] = (struct v8_inlined){ .sfi = outer, .why = v8_no_line };
			return 1;
		}
	}
	for (; r == 0 && v8_position_inlining(pos) >= 0; n++) {
		if (n == V8_MAX_NAMES - 2)
			return -E2BIG;
		ids[n] = v8_position_inlining(pos);
		r = read_inlining(h, table, ids[n], &in);
		if (r < 0)
			return r;
		out[n] = (struct v8_inlined){ .sfi = outer, .pos = v8_position_offset(pos) };
		if (in.function_idx >= 0) {
			r = v8_array_word(h, literals, (u32)in.function_idx, &word);
			out[n].sfi = r < 0 ? 0 : v8_unwrap_function(h, word);
		}
		if (!out[n].sfi)
			return -EINVAL;
		pos = in.position;
	}
	if (r < 0)
		return r;
	out[n++] = (struct v8_inlined){ .sfi = outer, .pos = v8_position_offset(pos) };
	if (!h->l->deopt_form && v8_has_unknown_pieces(h, code))
		out[0].why = v8_no_line;
	if (n > 1 && v8_has_wrong_positions(h, code))
		v8_deopt_callers(h, code, ids, out, n);
	return n;
}
